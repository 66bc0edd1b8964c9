import { union } from './field-set.ts';
import { type Manager, type Managers, identifierOf } from './managers.ts';

/** Entries of updates an object may have. */
const MAX_UPDATE_MANAGERS = 10;

/**
 * Merges the oldest entries of updates, version by version, into one named `ancient-changes` until at most ten are left.
 * Entries that are alone in their version stay.
 */
export function capManagers(managers: Managers): Managers {
  if (managers.size <= MAX_UPDATE_MANAGERS) return managers;
  const updaters = [...managers].filter(([, { operation }]) => operation === 'Update').sort(oldestFirst);
  if (updaters.length <= MAX_UPDATE_MANAGERS) return managers;
  const capped = new Map(managers);
  const firstOf = new Map<string, string>();
  let left = updaters.length;
  for (const [identifier, manager] of updaters) {
    if (left <= MAX_UPDATE_MANAGERS) break;
    const first = firstOf.get(manager.apiVersion);
    if (first === undefined) {
      firstOf.set(manager.apiVersion, identifier);
      continue;
    }
    merge(capped, identifier, manager, first);
    left -= 1;
  }
  return capped;
}

/** Moves an entry into the bucket of its version, which the first entry of the version becomes. */
function merge(capped: Map<string, Manager>, identifier: string, manager: Manager, first: string): void {
  const bucket: Manager = { ...manager, manager: 'ancient-changes', subresource: '' };
  const name = identifierOf(bucket);
  if (!capped.has(name)) {
    const start = capped.get(first);
    capped.delete(first);
    if (start) capped.set(name, { ...bucket, fields: start.fields });
  }
  const fields = union(manager.fields, capped.get(name)?.fields ?? manager.fields);
  if (identifier !== name) capped.delete(identifier);
  // The time of what comes last is the newer one.
  capped.set(name, { ...bucket, fields });
}

const oldestFirst = ([leftName, left]: [string, Manager], [rightName, right]: [string, Manager]): number => {
  const order = (left.time ?? '').localeCompare(right.time ?? '');
  return order === 0 ? (leftName < rightName ? -1 : 1) : order;
};
