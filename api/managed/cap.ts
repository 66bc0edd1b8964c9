import { union } from './field-set.ts';
import { type Manager, type Managers, identifierOf } from './managers.ts';

/** Maximum number of `Update` entries of an object, as in upstream. */
const MAX_UPDATE_MANAGERS = 10;

/**
 * Merges the oldest `Update` entries of each version into an entry named `ancient-changes` until the object
 * has at most ten `Update` entries. If a version has only one entry, the entry stays.
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

/**
 * Moves an entry into the `ancient-changes` entry of its version. That entry is created from the first merged
 * entry of the version.
 */
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
  // Entries are merged in order of their times, so the last time is the newest.
  capped.set(name, { ...bucket, fields });
}

const oldestFirst = ([leftName, left]: [string, Manager], [rightName, right]: [string, Manager]): number => {
  const order = (left.time ?? '').localeCompare(right.time ?? '');
  return order === 0 ? (leftName < rightName ? -1 : 1) : order;
};
