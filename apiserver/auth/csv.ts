/** One record and the line on which it starts, counted from 1. */
export interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

type Problem = (line: number, message: string) => Error;

/**
 * Parses CSV (RFC 4180). Cells may be quoted; a quoted cell may contain commas and line ends, and `""` stands
 * for a quote. Skips empty lines. Throws the error that `problem` returns for a quote in an unquoted cell,
 * for text after a closing quote, and for an unclosed quote.
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
  /** Index of the comma or line end after the cell. */
  readonly end: number;
  /** Number of line ends within the cell. */
  readonly lines: number;
}

/** True if a cell ends at this index: at a comma, LF, CR LF or the end of the text. */
const endsCell = (text: string, at: number): boolean =>
  at >= text.length ||
  text[at] === ',' ||
  text[at] === '\n' ||
  (text[at] === '\r' && (text[at + 1] === '\n' || at + 1 === text.length));

function bareCell(text: string, start: number, line: number, problem: Problem): Cell {
  let at = start;
  for (; !endsCell(text, at); at++)
    if (text[at] === '"')
      throw problem(
        line,
        'found a quote in an unquoted cell; quote the whole cell and double the quotes in it',
      );
  return { value: text.slice(start, at), end: at, lines: 0 };
}

function quotedCell(text: string, start: number, line: number, problem: Problem): Cell {
  let value = '';
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote === -1) throw problem(line, 'quoted cell has no closing quote');
    value += text.slice(at, quote);
    at = quote + 1;
    if (text[at] !== '"') break;
    value += '"';
    at++;
  }
  if (!endsCell(text, at))
    throw problem(line, 'found text after a closing quote, expected a comma or a line end');
  return { value, end: at, lines: value.split('\n').length - 1 };
}
