import { isRecord } from '../../base/collections/index.ts';
import { createColumnWriter } from './output/columns.ts';

/** Row of a table with the metadata of its object. */
export interface TableRow {
  readonly cells: readonly string[];
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, unknown>>;
  /** The object, or its metadata, as the server included it. */
  readonly object: unknown;
}

/** `Table` of a server, with its columns and one row per object. */
export interface Table {
  readonly columns: readonly { readonly name: string; readonly isWide: boolean }[];
  readonly rows: readonly TableRow[];
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const field = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((found, name) => (isRecord(found) ? found[name] : undefined), value);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Parses a `Table`. Returns undefined for any other value. */
export function readTable(value: unknown): Table | undefined {
  if (field(value, 'kind') !== 'Table') return undefined;
  return {
    columns: list(field(value, 'columnDefinitions')).map((column) => ({
      name: textOf(field(column, 'name')).toUpperCase(),
      isWide: Number(field(column, 'priority') ?? 0) > 0,
    })),
    rows: list(field(value, 'rows')).map((row) => rowOf(list(field(row, 'cells')), field(row, 'object'))),
  };
}

function rowOf(cells: readonly unknown[], object: unknown): TableRow {
  const labels = field(object, 'metadata', 'labels');
  return {
    cells: cells.map((cell) => (cell === null ? '<none>' : (String(cell).split('\n')[0] ?? ''))),
    name: textOf(field(object, 'metadata', 'name')),
    namespace: textOf(field(object, 'metadata', 'namespace')),
    labels: isRecord(labels) ? labels : {},
    object,
  };
}

/** Columns of a table beside those of the server. */
export interface TableOptions {
  /** True to include columns of lower priority. */
  readonly wide: boolean;
  /** True to include the namespace of each object. */
  readonly namespaces: boolean;
  /** False to omit the line of the headers. Default true. */
  readonly headers?: boolean;
  /** Labels, each with its own column. Default none. */
  readonly labelColumns?: readonly string[];
  /** True to include a column with all labels. Default false. */
  readonly labels?: boolean;
  /** Prefix of the names, such as `configmap/`. Default ''. */
  readonly kindPrefix?: string;
}

/**
 * Creates a writer that formats consecutive tables with the same column widths. Later tables, such as the
 * tables of a watch, have no header. `event` is the type of a watch event for its own column.
 */
export function createTableWriter(options: TableOptions): (table: Table, event?: string) => string {
  const { wide, headers = true } = options;
  const write = createColumnWriter();
  let shown: Table['columns'] = [];
  return (table, event) => {
    const isFirst = shown.length === 0;
    if (isFirst) shown = table.columns;
    const indexes = shown.flatMap(({ isWide }, at) => (isWide && !wide ? [] : [at]));
    const before = event === undefined ? [] : [event];
    const lines = table.rows.map((row) => [...before, ...lineOf(row, indexes, options)]);
    if (!isFirst || !headers) return write(lines);
    const names = indexes.map((at) => shown[at]?.name ?? '');
    return write([[...(event === undefined ? [] : ['EVENT']), ...headerOf(names, options)], ...lines]);
  };
}

const headerOf = (
  names: readonly string[],
  { namespaces, labelColumns = [], labels }: TableOptions,
): string[] => [
  ...(namespaces ? ['NAMESPACE'] : []),
  ...names,
  ...labelColumns.map((label) => (label.split('/').at(-1) ?? '').toUpperCase()),
  ...(labels === true ? ['LABELS'] : []),
];

function lineOf(row: TableRow, indexes: readonly number[], options: TableOptions): string[] {
  const { namespaces, labelColumns = [], labels, kindPrefix = '' } = options;
  return [
    ...(namespaces ? [row.namespace] : []),
    ...indexes.map((at, position) => (position === 0 ? kindPrefix : '') + (row.cells[at] ?? '')),
    ...labelColumns.map((label) => textOf(Object.hasOwn(row.labels, label) ? row.labels[label] : '')),
    ...(labels === true ? [labelsText(row.labels)] : []),
  ];
}

const labelsText = (labels: TableRow['labels']): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${textOf(value)}`)
    .sort()
    .join(',') || '<none>';
