/** V8's JSON parser repeats a text, or the part around the fault: `…, ..."abc"... is not valid JSON`. */
const QUOTED = /, (?:\.\.\.)?"[^]*"(?:\.\.\.)? is not valid JSON/g;

/** Returns a text without the input that messages of the JSON parser quote: a body or a stored value may hold a secret. */
export const withoutQuotedInput = (text: string): string => text.replace(QUOTED, ': not valid JSON');

/** `JSON.parse` whose error quotes nothing of the text. Throws `SyntaxError`. */
export function parseJsonQuietly(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    // Not as cause: what logs an error logs its causes.
    throw thrown instanceof SyntaxError ? new SyntaxError(withoutQuotedInput(thrown.message)) : thrown;
  }
}
