/** Mark of a removed or added line. */
export type Mark = '-' | '+';

/** Content of a report: a single line, a list of records, or content with strings before and after it. */
export type Text =
  string | readonly TextRecord[] | { readonly before: string; readonly text: Text; readonly after: string };

/** One line or one nested part of a report. */
export interface TextRecord {
  readonly key: string;
  readonly text: Text;
  readonly mark?: Mark;
  readonly comment?: string;
}

/** Placeholder for omitted parts; no comma follows it. */
export const ELLIPSIS = '...';

/** Maximum number of characters of a removed or added value that is printed in one line. */
const MAX_LINE = 80;

/**
 * Prints a report in the format of go-cmp: each line begins with its mark, nested parts are indented by tabs,
 * and keys are aligned.
 */
export const printText = (text: Text): string => `  ${expanded(compact(text, undefined), undefined, 0)}\n`;

const isRecords = (text: Text): text is readonly TextRecord[] => Array.isArray(text);

/** Joins parts into one line where they fit. */
function compact(text: Text, mark: Mark | undefined): Text {
  if (typeof text === 'string') return text;
  if (!isRecords(text)) {
    const inner = compact(text.text, mark);
    return typeof inner === 'string' ? `${text.before}${inner}${text.after}` : { ...text, text: inner };
  }
  const records = text.map((record) => ({ ...record, text: compact(record.text, mark ?? record.mark) }));
  const takesLines = records.some(
    (record) => record.mark !== undefined || record.comment !== undefined || typeof record.text !== 'string',
  );
  const line = records
    .map((record) => `${record.key === '' ? '' : `${record.key}: `}${String(record.text)}`)
    .join(', ');
  return takesLines || (mark !== undefined && line.length > MAX_LINE) ? records : line;
}

function expanded(text: Text, mark: Mark | undefined, depth: number): string {
  if (typeof text === 'string') return text;
  if (!isRecords(text)) return `${text.before}${expanded(text.text, mark, depth)}${text.after}`;
  const widths = widthsOf(text);
  const lines = text.map((record, at) => {
    const own = mark ?? record.mark;
    const key =
      record.key === '' ? '' : `${record.key}: ${' '.repeat((widths[at] ?? 0) - record.key.length)}`;
    const comma = record.text === ELLIPSIS ? '' : ',';
    const comment = record.comment === undefined ? '' : ` // ${record.comment}`;
    return `\n${begin(own, depth + 1)}${key}${expanded(record.text, own, depth + 1)}${comma}${comment}`;
  });
  return `${lines.join('')}\n${begin(mark, depth)}`;
}

const begin = (mark: Mark | undefined, depth: number): string => `${mark ?? ' '} ${'\t'.repeat(depth)}`;

/**
 * Returns the column width of each key. A record that has no key or more than one line ends a block of
 * aligned keys.
 */
function widthsOf(records: readonly TextRecord[]): readonly number[] {
  const widths = records.map(({ key }) => key.length);
  let from = 0;
  for (let at = 0; at <= records.length; at += 1) {
    const record = records[at];
    if (record && record.key !== '' && typeof record.text === 'string') continue;
    const widest = widths.slice(from, at).reduce((most, width) => Math.max(most, width), 0);
    widths.fill(widest, from, at);
    from = at + 1;
  }
  return widths;
}
