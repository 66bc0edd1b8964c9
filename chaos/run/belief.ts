import { writeJson } from '../../api/schema/index.ts';
import { type ApiObject, type DeepReadonly, keyOf } from '../../api/kinds/index.ts';
import type { Commit, LiveView } from '../invariants/invariant.ts';
import type { ControllerProcess } from '../world/controller-process.ts';
import { isRecord } from '../../base/collections/index.ts';

type Stored = DeepReadonly<ApiObject>;

/** A difference between the cache of a process and the store. */
export interface Belief {
  readonly process: string;
  /** Object such as `batch/jobs team/tick-1`. */
  readonly object: string;
  readonly believed: string;
  readonly true: string;
}

/** Maximum number of reported differences. */
const MOST = 12;

/**
 * Compares the caches of the processes with the store: objects in the namespace of the commit, and
 * cluster-scoped objects.
 *
 * The committed object is compared as it was before the commit.
 */
export function beliefs(
  processes: readonly ControllerProcess[],
  live: LiveView,
  commit: Commit | undefined,
): readonly Belief[] {
  const found: Belief[] = [];
  for (const { process, caches } of processes) {
    if (commit?.node !== undefined && commit.node !== process.name) continue;
    for (const { resource, objects } of caches()) {
      const cached = new Map(objects.map((object) => [keyOf(object as ApiObject), object]));
      const actual = new Map(live.list(resource).map((object) => [keyOf(object as ApiObject), object]));
      restoreBefore(actual, resource, commit);
      for (const key of new Set([...cached.keys(), ...actual.keys()])) {
        const difference = differ(cached.get(key), actual.get(key));
        if (difference === undefined || !concerns(key, commit)) continue;
        found.push({ process: process.name, object: `${resource.replace(/^\//, '')} ${key}`, ...difference });
      }
    }
  }
  return found.slice(0, MOST);
}

function restoreBefore(actual: Map<string, Stored>, resource: string, commit: Commit | undefined): void {
  if (commit === undefined || commit.resource !== resource) return;
  const key = commit.namespace === '' ? commit.name : `${commit.namespace}/${commit.name}`;
  if (commit.before === undefined) actual.delete(key);
  else actual.set(key, commit.before);
}

const concerns = (key: string, commit: Commit | undefined): boolean =>
  commit === undefined || !key.includes('/') || key.startsWith(`${commit.namespace}/`);

function differ(
  cached: Stored | undefined,
  actual: Stored | undefined,
): { readonly believed: string; readonly true: string } | undefined {
  if (cached === undefined && actual === undefined) return undefined;
  if (cached === undefined) return { believed: 'absent', true: describe(actual) };
  if (actual === undefined) return { believed: describe(cached), true: 'absent' };
  if (cached.metadata?.resourceVersion === actual.metadata?.resourceVersion) return undefined;
  if (cached.metadata?.uid !== actual.metadata?.uid)
    return { believed: describe(cached), true: `another of that name, ${describe(actual)}` };
  const paths = changedPaths(cached, actual, '');
  return {
    believed: paths.map(([path, a]) => `${path}=${a}`).join(', ') || describe(cached),
    true: paths.map(([path, , b]) => `${path}=${b}`).join(', ') || describe(actual),
  };
}

const describe = (object: Stored | undefined): string => {
  const { uid = '', resourceVersion = '', deletionTimestamp } = object?.metadata ?? {};
  return `uid ${uid.slice(0, 8)} at revision ${resourceVersion}${deletionTimestamp ? ', being deleted' : ''}`;
};

const IGNORED = new Set(['.metadata.managedFields', '.metadata.resourceVersion']);
/** Paths of contents that may be secret. For these paths only the fact that they differ is reported. */
const HIDDEN = /^\.(?:data|stringData|status\.certificate|spec\.request)/;
function changedPaths(a: unknown, b: unknown, path: string): readonly (readonly [string, string, string])[] {
  if (IGNORED.has(path) || writeJson(a) === writeJson(b)) return [];
  if (isRecord(a) && isRecord(b))
    return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((name) =>
      changedPaths(a[name], b[name], `${path}.${name}`),
    );
  const text = (value: unknown): string =>
    value === undefined ? 'absent' : HIDDEN.test(path) ? 'something' : clip(writeJson(value));
  return [[path.slice(1), text(a), text(b)]];
}

const clip = (text: string): string => (text.length <= 120 ? text : `${text.slice(0, 119)}…`);
