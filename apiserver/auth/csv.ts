/** A record and the line, from 1, that it begins on. */
export interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

type Problem = (line: number, message: string) => Error;

/**
 * RFC 4180: cells may be quoted, `""` is a quote in a quoted cell, and such a cell may hold commas and line ends.
 * Empty lines are left out. Throws what `problem` makes for a quote in a bare cell, text after a closing quote, or a
 * quote that is never closed.
 */
export function parseCsv(text: string, problem: Problem): readonly CsvRecord[] {
  const records: CsvRecord[] = [];
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  let line = 1;
  while (at < text.length) {
    const first = line;
    const cells: string[] = [];
    for (;;) {
      const cell = text[at] === '"' ? quotedCell(text, at, line, problem) : bareCell(text, at, line, problem);
      cells.push(cell.value);
      line += cell.lines;
      at = cell.end;
      if (text[at] !== ',') break;
      at++;
    }
    if (text[at] === '\r') at++;
    if (text[at] === '\n') at++;
    line++;
    if (cells.length > 1 || cells[0] !== '') records.push({ line: first, cells });
  }
  return records;
}

interface Cell {
  readonly value: string;
  /** Index of the comma or line end behind it. */
  readonly end: number;
  /** Line ends within it. */
  readonly lines: number;
}

/** A line ends at LF, CR LF or the end of the text. */
const endsCell = (text: string, at: number): boolean =>
  at >= text.length ||
  text[at] === ',' ||
  text[at] === '\n' ||
  (text[at] === '\r' && (text[at + 1] === '\n' || at + 1 === text.length));

function bareCell(text: string, start: number, line: number, problem: Problem): Cell {
  let at = start;
  for (; !endsCell(text, at); at++)
    if (text[at] === '"') throw problem(line, 'a quote stands within a cell that is not quoted');
  return { value: text.slice(start, at), end: at, lines: 0 };
}

function quotedCell(text: string, start: number, line: number, problem: Problem): Cell {
  let value = '';
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote === -1) throw problem(line, 'a quoted cell is not closed');
    value += text.slice(at, quote);
    at = quote + 1;
    if (text[at] !== '"') break;
    value += '"';
    at++;
  }
  if (!endsCell(text, at)) throw problem(line, 'text follows a closing quote');
  return { value, end: at, lines: value.split('\n').length - 1 };
}
