import type { ApiObject, DeepReadonly } from '../../../api/kinds/index.ts';
import type { Commit, EntryKind, ProcessEntry } from '../../invariants/invariant.ts';
import type { HappeningType, Observation } from '../runtime/observation.ts';

/** Returns the facts about an object on which an invariant depends; undefined if there are none. */
export type FactsOf = (object: DeepReadonly<ApiObject>) => string | undefined;

/** Facts in the cache of one informer, and the moment since which the cache has had them. */
interface Cached {
  readonly facts: string | undefined;
  readonly since: number;
}

/**
 * Facts in the caches of all processes, and their running reconciles. A moment is the number of calls of the
 * invariant so far, because clocks may be wrong.
 *
 * Only runs that observe the inside of processes fill this object. It is modified in place.
 */
export interface Knowledge {
  moment: number;
  /** Facts by uid, then by resource version. */
  readonly facts: Record<string, Record<string, string | null>>;
  /** Cached facts by process, then by uid, then by informer. */
  readonly cached: Record<string, Record<string, Record<string, Cached>>>;
  /** Moments at which the running reconciles started, by process, then by controller and reconcile. */
  readonly running: Record<string, Record<string, number>>;
}

/** Kinds of journal entries that `noteEntry` handles. */
export const NOTED_ENTRIES: readonly EntryKind[] = [
  'started',
  'stopped',
  'reconcile.started',
  'reconcile.finished',
];
export const NOTED_OBSERVATIONS: readonly HappeningType[] = ['started', 'notified'];

export const createKnowledge = (): Knowledge => ({ moment: 0, facts: {}, cached: {}, running: {} });

/** Records the facts of a new version of an object. */
export function noteCommit(knowledge: Knowledge, { uid, after }: Commit, factsOf: FactsOf): void {
  knowledge.moment++;
  if (after === undefined) return void delete knowledge.facts[uid];
  const versions = (knowledge.facts[uid] ??= {});
  versions[after.metadata?.resourceVersion ?? ''] = factsOf(after) ?? null;
}

const runOf = (controller: string, reconcileId = ''): string => `${controller}/${reconcileId}`;

/** Records starts and ends of reconciles and processes. */
export function noteEntry(knowledge: Knowledge, { process, event }: ProcessEntry): void {
  const moment = ++knowledge.moment;
  if (event === 'started') {
    delete knowledge.running[process];
    return;
  }
  const running = (knowledge.running[process] ??= {});
  const { controller, reconcileId } = event;
  if (event.kind === 'reconcile.started') running[runOf(controller, reconcileId)] = moment;
  else if (event.kind === 'reconcile.finished') delete running[runOf(controller, reconcileId)];
  else if (event.kind === 'stopped')
    for (const run of Object.keys(running)) if (run.startsWith(`${controller}/`)) delete running[run];
}

/** Records the content of the caches of a process. Returns true if it changed. */
export function noteObservation(knowledge: Knowledge, observation: Observation): boolean {
  const { process } = observation;
  if (observation.type === 'started') {
    delete knowledge.cached[process];
    return true;
  }
  if (observation.type !== 'notified') return false;
  const { informer, change, version, isMetadataOnly = false, lacking = [] } = observation;
  // Facts may depend on fields that a cache of metadata lacks.
  if (isMetadataOnly) return false;
  const at = version.lastIndexOf('@');
  const uid = version.slice(0, at);
  const versions = knowledge.facts[uid];
  if (versions === undefined) return false;
  const since = ++knowledge.moment;
  const objects = (knowledge.cached[process] ??= {});
  const informers = (objects[uid] ??= {});
  if (change === 'delete') delete informers[informer];
  else {
    const facts = versions[version.slice(at + 1)] ?? undefined;
    if (informers[informer]?.facts === facts && informers[informer] !== undefined) return false;
    informers[informer] = { facts, since };
    for (const other of lacking) informers[other] ??= { facts: undefined, since };
  }
  return true;
}

/**
 * Returns the first moment since which all caches of a process that select an object have had these facts
 * about it. Undefined if such a cache has other facts or lacks the object, or if no cache contains the
 * object.
 */
export function knownSince(
  { cached }: Knowledge,
  process: string,
  uid: string,
  facts: string,
): number | undefined {
  let since: number | undefined;
  for (const known of Object.values(cached[process]?.[uid] ?? {})) {
    if (known.facts !== facts) return undefined;
    since = Math.max(since ?? 0, known.since);
  }
  return since;
}

/** Returns the names of the running reconciles of a controller in a process. */
export const runningOf = ({ running }: Knowledge, process: string, controller: string): readonly string[] =>
  Object.keys(running[process] ?? {}).filter((run) => run.startsWith(`${controller}/`));

/**
 * Returns the moment at which the oldest running reconcile of a controller in a process started. Undefined if
 * none is running.
 */
export function decidedSince(knowledge: Knowledge, process: string, controller: string): number | undefined {
  const moments = runningOf(knowledge, process, controller).map(
    (run) => knowledge.running[process]?.[run] ?? 0,
  );
  return moments.length === 0 ? undefined : Math.min(...moments);
}
