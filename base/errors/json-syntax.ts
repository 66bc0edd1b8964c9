/**
 * Quotation of the input in messages of V8's JSON parser: the whole input or a part, such as `…, ..."abc"...
 * is not valid JSON`.
 */
const QUOTED = /, (?:\.\.\.)?"[^]*"(?:\.\.\.)? is not valid JSON/g;

/**
 * Removes the input that messages of the JSON parser quote, as a body or a stored value may contain a secret.
 */
export const withoutQuotedInput = (text: string): string => text.replace(QUOTED, ': not valid JSON');

/** Parses JSON like `JSON.parse`. Throws a `SyntaxError` whose message quotes no input. */
export function parseJsonQuietly(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    // The original error is not set as `cause`, as loggers print causes.
    throw thrown instanceof SyntaxError ? new SyntaxError(withoutQuotedInput(thrown.message)) : thrown;
  }
}
