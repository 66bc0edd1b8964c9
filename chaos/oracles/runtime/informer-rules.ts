import { type Invariant, invariant, verdict } from '../../invariants/invariant.ts';
import type { Happening, IndexContent, ObservationOf, Versions } from './observation.ts';

/** Records by process, then by informer. */
type ByInformer<T> = Record<string, Record<string, T>>;

const emptied = <T>(state: ByInformer<T>, process: string): undefined => void delete state[process];

/** Returns the record of an informer. Creates it if necessary. */
function recordOf<T>(
  state: ByInformer<Record<string, T>>,
  { process, informer }: { readonly process: string; readonly informer: string },
): Record<string, T> {
  const ofProcess = (state[process] ??= {});
  return (ofProcess[informer] ??= {});
}

/** Returns the first key whose versions differ, and both versions. */
function differenceOf(left: Versions, right: Versions): readonly [key: string, string, string] | undefined {
  for (const key of new Set([...Object.keys(left), ...Object.keys(right)]))
    if (left[key] !== right[key]) return [key, left[key] ?? 'nothing', right[key] ?? 'nothing'];
  return undefined;
}

function differingValue(kept: IndexContent, recomputed: IndexContent): string | undefined {
  const values = new Set([...Object.keys(kept), ...Object.keys(recomputed)]);
  return [...values].find((value) => (kept[value] ?? []).join() !== (recomputed[value] ?? []).join());
}

/** Returns how an index differs from its recomputation; undefined for equal ones and other happenings. */
export function wrongIndexIn(happening: Happening): string | undefined {
  if (happening.type !== 'index') return undefined;
  const { informer, index, kept, recomputed } = happening;
  const value = differingValue(kept, recomputed);
  if (value === undefined) return undefined;
  const list = (content: IndexContent): string => (content[value] ?? []).join(', ') || 'nothing';
  return `index ${index} of ${informer} has ${list(kept)} at ${JSON.stringify(value)}, expected ${list(recomputed)}`;
}

/** Returns the version number in `uid@resourceVersion`; NaN if it is not a number. */
const numberIn = (version: string): number => Number(version.slice(version.lastIndexOf('@') + 1));
const uidIn = (version: string): string => version.slice(0, version.lastIndexOf('@'));

/** Returns how a notification contradicts the previous ones; undefined if it does not. */
function wrongStep(
  known: string | undefined,
  { change, previous, version }: ObservationOf<'notified'>,
): string | undefined {
  if (change === 'delete') return known === undefined ? 'reported a deletion twice' : undefined;
  if (known === version) return `reported version ${version} twice`;
  return known === previous
    ? undefined
    : `reported a change from ${previous ?? 'nothing'} to ${version}, but last reported ${known ?? 'nothing'}`;
}

/** Invariants of informers, their caches and indexes. */
export const informerRules: readonly Invariant[] = [
  invariant({
    id: 'process/cache-equals-server',
    says: 'the cache of every informer equals the server in a quiescent world',
    controller: '*',
    kind: 'eventually',
    observations: ['cache'],
    initial: () => null,
    onObservation(state, observation) {
      if (observation.type !== 'cache') return undefined;
      const { process, informer, cached, server, differing } = observation;
      const [key, has, expected] = differenceOf(cached, server) ?? [];
      const which = `${process}: the cache of ${informer}`;
      if (key !== undefined)
        return verdict(state, true, `${which} has ${has} of ${key}, the server has ${expected}`);
      const broken = differing && `${which} has other content of ${differing} than the server`;
      return verdict(state, Object.keys(server).length > 0, broken);
    },
  }),
  invariant({
    id: 'process/index-equals-recomputation',
    says: 'every index of a cache equals its recomputation in a quiescent world',
    controller: '*',
    kind: 'eventually',
    observations: ['index'],
    initial: () => null,
    onObservation(state, observation) {
      if (observation.type !== 'index') return undefined;
      const wrong = wrongIndexIn(observation);
      return verdict(
        state,
        Object.keys(observation.recomputed).length > 0,
        wrong && `${observation.process}: ${wrong}`,
      );
    },
  }),
  invariant<ByInformer<Record<string, string>>>({
    id: 'process/change-notified-once',
    says: 'handlers are notified of every change of a cache exactly once, deletions that only a list shows included',
    controller: '*',
    kind: 'never',
    observations: ['started', 'notified', 'cache'],
    initial: () => ({}),
    onObservation(state, observation) {
      const { type, process } = observation;
      if (type === 'started') return emptied(state, process);
      if (type !== 'notified' && type !== 'cache') return undefined;
      const reported = recordOf(state, observation);
      if (type === 'cache') {
        const [key, has, last] = differenceOf(observation.cached, reported) ?? [];
        const broken =
          key &&
          `${process}: the cache of ${observation.informer} has ${has} of ${key}, handlers last received ${last}`;
        return verdict(state, false, broken);
      }
      const { informer, key, change, version } = observation;
      const wrong = wrongStep(reported[key], observation);
      if (change === 'delete') delete reported[key];
      else reported[key] = version;
      return verdict(state, true, wrong && `${process}: ${informer} ${wrong} (${key})`);
    },
  }),
  invariant({
    id: 'process/bookmark-is-no-object',
    says: 'no bookmark is handled as an object',
    controller: '*',
    kind: 'never',
    observations: ['bookmark', 'notified'],
    initial: () => null,
    onObservation(state, observation) {
      if (observation.type === 'bookmark') return verdict(state, true);
      if (observation.type !== 'notified') return undefined;
      const { process, informer, key, version } = observation;
      const isObject = key !== '' && !key.endsWith('/') && uidIn(version) !== '';
      return isObject
        ? undefined
        : verdict(state, true, `${process}: ${informer} reported an object without name or uid`);
    },
  }),
  invariant<ByInformer<Record<string, number>>>({
    id: 'process/version-never-older',
    says: 'no cache returns to an older version of an object',
    controller: '*',
    kind: 'never',
    unless: 'stale-list',
    observations: ['started', 'notified'],
    initial: () => ({}),
    onObservation(state, observation) {
      const { type, process } = observation;
      if (type === 'started') return emptied(state, process);
      if (type !== 'notified') return undefined;
      const newest = recordOf(state, observation);
      const { informer, key, version } = observation;
      const [uid, number] = [uidIn(version), numberIn(version)];
      const before = newest[uid];
      if (before === undefined || number > before) newest[uid] = number;
      const isOlder = before !== undefined && number < before;
      return verdict(
        state,
        before !== undefined,
        isOlder ? `${process}: ${informer} reported ${key} at version ${number} after ${before}` : undefined,
      );
    },
  }),
];
