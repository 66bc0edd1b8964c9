import { useState } from 'preact/hooks';
import { type ServedResource, nameOf, resourceId } from '../api.ts';
import { toResource } from '../routes.ts';
import { type LiveTable, type TableRow, useTable } from '../table.ts';
import { Loading, Problem, many } from './bits.tsx';

const STEP = 200;

/** The objects of one resource in the server's own columns. */
export function ResourceTable({ resource, metaGroup }: { resource: ServedResource; metaGroup: string }) {
  const { table, problem } = useTable(resource, metaGroup);
  const [search, setSearch] = useState('');
  if (problem !== undefined) return <Problem problem={problem} />;
  if (table === undefined) return <Loading />;
  const found = [...table.rows].filter(([name, { cells }]) =>
    `${name} ${cells.join(' ')}`.toLowerCase().includes(search.toLowerCase()),
  );
  return (
    <section class="card" aria-labelledby="objects">
      <header class="bar">
        <h2 id="objects">
          {many(found.length)} {resource.plural}
        </h2>
        <input
          type="search"
          placeholder="Search objects"
          aria-label="search objects"
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      </header>
      <Objects resource={resource} table={table} found={found} />
    </section>
  );
}

function Objects(props: {
  resource: ServedResource;
  table: LiveTable;
  found: readonly (readonly [string, TableRow])[];
}) {
  const { resource, table, found } = props;
  const [most, setMost] = useState(STEP);
  const columns = table.columns
    .map((column, at) => ({ ...column, at }))
    .filter(({ priority }) => priority === 0);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-labelledby="objects">
      <table>
        <thead>
          <tr>
            {resource.namespaced && <th scope="col">Namespace</th>}
            {columns.map(({ name, description }) => (
              <th key={name} scope="col" title={description}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {found.slice(0, most).map(([name, { cells, object }]) => (
            <tr key={name}>
              {resource.namespaced && <td>{object.metadata?.namespace}</td>}
              {columns.map(({ name: column, at }, position) =>
                position === 0 ? (
                  <th key={column} scope="row">
                    <a href={toResource(resourceId(resource), nameOf(object))}>{String(cells[at] ?? '')}</a>
                  </th>
                ) : (
                  <td key={column}>{String(cells[at] ?? '')}</td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {found.length > most && (
        <button type="button" onClick={() => setMost(most + STEP)}>
          show more
        </button>
      )}
    </div>
  );
}
