import { useMemo, useState } from 'preact/hooks';
import { compareCells } from '../../model/cell-order.ts';
import { type ServedResource, resourceId } from '../api.ts';
import { chosenNamespace } from '../namespace.ts';
import { toResource } from '../routes.ts';
import { useStore } from '../store.ts';
import { type LiveTable, type TableRow, useTable } from '../table.ts';
import { Loading, Problem, many } from './bits.tsx';
import { NamespaceChoice } from './namespace-choice.tsx';
import { useVisibleRows } from './sight.ts';
import { SortHead, type Sorting } from './sort-head.tsx';

const ROW_HEIGHT = 33;
const ROWS_SEEN = 20;

/** Column by which Events are sorted at first, newest first. */
const NEWEST_FIRST = 'Last Seen';

function rowsOf(options: {
  readonly rows: readonly TableRow[];
  readonly columns: readonly ShownColumn[];
  readonly namespace: string;
  readonly wanted: string;
  readonly sorting: Sorting | undefined;
}): readonly TableRow[] {
  const { rows, columns, namespace, wanted, sorting } = options;
  const found = rows.filter(
    (row) =>
      (wanted === '' || row.text.includes(wanted)) && (namespace === '' || row.namespace === namespace),
  );
  const column = columns.find(({ name }) => name === (sorting?.column ?? NEWEST_FIRST));
  if (column === undefined) return found;
  const direction = sorting?.isDescending === true ? -1 : 1;
  return found.toSorted((a, b) => direction * compareCells(column.textOf(a), column.textOf(b)));
}

/** Objects of one resource, in the columns that the server defines. */
export function ResourceTable({ resource, metaGroup }: { resource: ServedResource; metaGroup: string }) {
  const { table, problem } = useTable(resource, metaGroup);
  const [search, setSearch] = useState('');
  const [sorting, sortBy] = useState<Sorting | undefined>(undefined);
  const chosen = useStore(chosenNamespace);
  const namespace = resource.namespaced ? chosen : '';
  const wanted = search.trim().toLowerCase();
  const columns = useMemo(() => (table === undefined ? [] : columnsOf(resource, table)), [resource, table]);
  const found = useMemo(
    () => rowsOf({ rows: table?.rows ?? [], columns, namespace, wanted, sorting }),
    [table, namespace, wanted, sorting],
  );
  if (problem !== undefined) return <Problem problem={problem} />;
  if (table === undefined) return <Loading />;
  const isFiltered = wanted !== '' || namespace !== '';
  return (
    <section class="card" aria-labelledby="objects">
      <header class="bar">
        <h2 id="objects">
          {isFiltered ? `${many(found.length)} of ` : ''}
          {many(table.rows.length)} {resource.plural}
          {!table.complete && <span class="soft"> so far…</span>}
        </h2>
        {resource.namespaced && <NamespaceChoice />}
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
        <Objects resource={resource} columns={columns} found={found} sorting={sorting} onSort={sortBy} />
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

/**
 * Table of the objects. Only the visible rows are rendered; two empty rows are as high as the rows before and
 * after them.
 */
function Objects(props: {
  resource: ServedResource;
  columns: readonly ShownColumn[];
  found: readonly TableRow[];
  sorting: Sorting | undefined;
  onSort: (sorting: Sorting) => void;
}) {
  const { resource, columns, found, sorting, onSort } = props;
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
              <SortHead
                key={name}
                column={name}
                name={name}
                title={description}
                sorting={sorting}
                onSort={onSort}
              />
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
