import { isRecord } from '../../base/collections/index.ts';

/** `Table` of a server, with its columns and one row per object. */
export interface Table {
  readonly columns: readonly { readonly name: string; readonly isWide: boolean }[];
  readonly rows: readonly {
    readonly cells: readonly string[];
    readonly name: string;
    readonly namespace: string;
  }[];
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
    rows: list(field(value, 'rows')).map((row) => ({
      cells: list(field(row, 'cells')).map((cell) =>
        cell === null ? '<none>' : (String(cell).split('\n')[0] ?? ''),
      ),
      name: textOf(field(row, 'object', 'metadata', 'name')),
      namespace: textOf(field(row, 'object', 'metadata', 'namespace')),
    })),
  };
}

export interface TableOptions {
  /** True to include columns of lower priority. */
  readonly wide: boolean;
  /** True to include the namespace of each object. */
  readonly namespaces: boolean;
}

/**
 * Creates a writer that formats consecutive tables with the same column widths. Later tables, such as the
 * tables of a watch, have no header.
 */
export function createTableWriter({ wide, namespaces }: TableOptions): (table: Table) => string {
  let widths: readonly number[] = [];
  let shown: Table['columns'] = [];
  return (table) => {
    const isFirst = shown.length === 0;
    if (isFirst) shown = table.columns;
    const indexes = shown.flatMap(({ isWide }, at) => (isWide && !wide ? [] : [at]));
    const lines = [
      ...(isFirst
        ? [[...(namespaces ? ['NAMESPACE'] : []), ...indexes.map((at) => shown[at]?.name ?? '')]]
        : []),
      ...table.rows.map(({ cells, namespace }) => [
        ...(namespaces ? [namespace] : []),
        ...indexes.map((at) => cells[at] ?? ''),
      ]),
    ];
    widths = (lines[0] ?? []).map((_, at) =>
      Math.max(widths[at] ?? 0, ...lines.map((line) => line[at]?.length ?? 0)),
    );
    return lines
      .map(
        (line) =>
          `${line
            .map((cell, at) => cell.padEnd(widths[at] ?? 0))
            .join('   ')
            .trimEnd()}\n`,
      )
      .join('');
  };
}
