/**
 * Returns ` (line 3, column 5)` for an error of the `yaml` parser, '' for any other error. The parser's
 * message is not used, because it quotes the file, which may contain secrets.
 */
export function yamlPlace(thrown: unknown): string {
  if (!(thrown instanceof Error) || !('linePos' in thrown) || !Array.isArray(thrown.linePos)) return '';
  const [at] = thrown.linePos as readonly ({ readonly line: number; readonly col: number } | undefined)[];
  return at === undefined ? '' : ` (line ${at.line}, column ${at.col})`;
}
