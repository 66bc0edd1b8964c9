import { useMemo, useState } from 'preact/hooks';
import { type ServedResource, resourceId } from '../api.ts';
import { toResource } from '../routes.ts';
import { type LiveTable, type TableRow, useTable } from '../table.ts';
import { Loading, Problem, many } from './bits.tsx';
import { useVisibleRows } from './sight.ts';

const ROW_HEIGHT = 33;
const ROWS_SEEN = 20;

/** Objects of one resource, in the columns that the server defines. */
export function ResourceTable({ resource, metaGroup }: { resource: ServedResource; metaGroup: string }) {
  const { table, problem } = useTable(resource, metaGroup);
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const found = useMemo(
    () => (table?.rows ?? []).filter(({ text }) => wanted === '' || text.includes(wanted)),
    [table, wanted],
  );
  if (problem !== undefined) return <Problem problem={problem} />;
  if (table === undefined) return <Loading />;
  return (
    <section class="card" aria-labelledby="objects">
      <header class="bar">
        <h2 id="objects">
          {wanted === '' ? '' : `${many(found.length)} of `}
          {many(table.rows.length)} {resource.plural}
          {!table.complete && <span class="soft"> so far…</span>}
        </h2>
        <input
          type="search"
          placeholder="Search objects"
          aria-label="search objects"
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      </header>
      {found.length === 0 ? (
        <p class="soft">{wanted === '' ? 'No objects.' : `No object contains “${search.trim()}”.`}</p>
      ) : (
        <Objects resource={resource} table={table} found={found} />
      )}
    </section>
  );
}

interface ShownColumn {
  readonly name: string;
  readonly description?: string;
  readonly share: number;
  readonly textOf: (row: TableRow) => string;
}

/** Maximum width of a column, in characters. */
const MOST_LETTERS = 48;

/**
 * Returns the default columns with their widths. All rows count, so that columns do not move during a scroll.
 */
function columnsOf({ namespaced }: ServedResource, { columns, rows }: LiveTable): readonly ShownColumn[] {
  const shown = columns
    .map(({ name, description, priority }, at) => ({
      name,
      ...(description === undefined ? {} : { description }),
      priority,
      textOf: ({ cells }: TableRow) => cells[at] ?? '',
    }))
    .filter(({ priority }) => priority === 0);
  const [first, ...rest] = shown;
  const namespace = { name: 'Namespace', textOf: (row: TableRow) => row.namespace };
  const all = first === undefined ? [] : [first, ...(namespaced ? [namespace] : []), ...rest];
  const letters = all.map(({ name, textOf }) =>
    Math.min(MOST_LETTERS, rows.reduce((most, row) => Math.max(most, textOf(row).length), name.length) + 3),
  );
  const sum = letters.reduce((total, each) => total + each, 0);
  return all.map((column, at) => ({ ...column, share: (letters[at] ?? 0) / sum }));
}

/** Renders only the visible rows. Two gaps have the height of the others. */
function Objects(props: { resource: ServedResource; table: LiveTable; found: readonly TableRow[] }) {
  const { resource, table, found } = props;
  const columns = useMemo(() => columnsOf(resource, table), [resource, table]);
  const height = Math.min(found.length + 1, ROWS_SEEN) * ROW_HEIGHT + 2;
  const { first, last, onScroll } = useVisibleRows(found.length, ROW_HEIGHT, height);
  const gap = (rows: number) =>
    rows > 0 && (
      <tr aria-hidden="true" class="gap">
        <td colSpan={columns.length} style={{ height: `${rows * ROW_HEIGHT}px` }} />
      </tr>
    );
  return (
    <div
      class="scroll objects"
      tabIndex={0}
      role="region"
      aria-labelledby="objects"
      style={{ height: `${height}px` }}
      onScroll={onScroll}
    >
      <table aria-rowcount={found.length + 1}>
        <colgroup>
          {columns.map(({ name, share }) => (
            <col key={name} style={{ width: `${share * 100}%` }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map(({ name, description }) => (
              <th key={name} scope="col" title={description}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {gap(first)}
          {found.slice(first, last).map((row, at) => (
            <ObjectRow key={row.name} row={row} columns={columns} resource={resource} at={first + at} />
          ))}
          {gap(found.length - last)}
        </tbody>
      </table>
    </div>
  );
}

function ObjectRow(props: {
  row: TableRow;
  columns: readonly ShownColumn[];
  resource: ServedResource;
  at: number;
}) {
  const { row, columns, resource, at } = props;
  const [first, ...rest] = columns.map(({ name, textOf }) => ({ name, text: textOf(row) }));
  return (
    // Rows are numbered from 1, and the head is the first.
    <tr aria-rowindex={at + 2}>
      {first !== undefined && (
        <th scope="row" title={first.text}>
          <a href={toResource(resourceId(resource), row.name)}>{first.text}</a>
        </th>
      )}
      {rest.map(({ name, text }) => (
        <td key={name} title={text}>
          {text}
        </td>
      ))}
    </tr>
  );
}
