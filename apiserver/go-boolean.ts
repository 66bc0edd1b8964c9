const TRUE: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const FALSE: ReadonlySet<string> = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

/** Parses a text as Go's `strconv.ParseBool` does; undefined for a text that it refuses, or without a text. */
export function parseGoBoolean(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  if (TRUE.has(text)) return true;
  return FALSE.has(text) ? false : undefined;
}
