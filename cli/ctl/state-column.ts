import type { ApiObject, DeepReadonly } from '../../api/kinds/index.ts';
import { type LifecycleContext, lifecycles, projected } from '../../api/lifecycles/index.ts';
import { isRecord } from '../../base/collections/index.ts';
import type { Resource } from './resources.ts';
import type { Table } from './table.ts';

/** Returns the lifecycles of a resource; none if its objects have no states. */
const lifecyclesOf = (
  { group, plural }: Pick<Resource, 'group' | 'plural'>,
  { vocabulary }: LifecycleContext,
) => lifecycles.filter(({ kind }) => kind?.plural === plural && vocabulary.group(kind.group) === group);

/**
 * Adds the column `STATE` to a table, whose rows must have whole objects, if its objects have states. An object that its lifecycles are not
 * about, such as a Secret without a token, has `<none>`.
 */
export function withStates(
  table: Table,
  resource: Pick<Resource, 'group' | 'plural'>,
  context: LifecycleContext,
): Table {
  const own = lifecyclesOf(resource, context);
  if (own.length === 0) return table;
  const stateOf = (object: unknown): string => {
    if (!isRecord(object)) return '<unknown>';
    // The server returned the object under the resource of the lifecycle.
    const given = object as unknown as DeepReadonly<ApiObject>;
    for (const lifecycle of own) {
      const state = projected(lifecycle, given, context);
      if (state !== undefined) return state;
    }
    return '<none>';
  };
  return {
    columns: table.columns.length === 0 ? [] : [...table.columns, { name: 'STATE', isWide: false }],
    rows: table.rows.map((row) => ({ ...row, cells: [...row.cells, stateOf(row.object)] })),
  };
}
