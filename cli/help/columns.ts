/** Width of help texts in columns. */
export const HELP_WIDTH = 100;

/** Breaks a text between words into lines of at most `width` columns. A longer word has its own line. */
export function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/**
 * Formats a name and its text in two columns. The text of a name that is too long for its column starts on
 * the next line.
 */
export function inColumns(name: string, text: string, nameWidth: number): string {
  const margin = ' '.repeat(nameWidth + 4);
  const lines = wrapped(text, HELP_WIDTH - margin.length);
  const isShort = name.length <= nameWidth;
  const first = isShort ? `  ${name.padEnd(nameWidth)}  ${lines[0] ?? ''}`.trimEnd() : `  ${name}`;
  return [first, ...lines.slice(isShort ? 1 : 0).map((line) => `${margin}${line}`)].join('\n');
}
