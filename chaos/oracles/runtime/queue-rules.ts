import { type Invariant, invariant, verdict } from '../../invariants/invariant.ts';
import type { Observation } from './observation.ts';

/** State of one key, with times in milliseconds. */
interface Key {
  /** Time since which the key has waited for a worker. */
  readyMs?: number;
  /** Earliest time requested by a delayed add. */
  dueMs?: number;
  /**
   * True while a worker processes the key. `againMs` is the time of the first add since the worker took it.
   */
  isActive?: true;
  againMs?: number;
}

interface Queue {
  /** Number of workers of the queue; 0 before the queue starts. */
  workers: number;
  active: number;
  /** Last time at which a worker became free while all others were busy, or at which the queue started. */
  freeMs: number;
  readonly keys: Record<string, Key>;
}

/** Queues by process, then by name. */
type Queues = Record<string, Record<string, Queue>>;

/**
 * Maximum wait of a key for a free worker in milliseconds. Timers of the process may delay a key slightly.
 */
const LONGEST_WAIT_MS = 1_000;

/** Tolerance for rounding errors in sums of times, in milliseconds. */
const ROUNDING_MS = 1e-3;

function queueOf(queues: Queues, process: string, name: string): Queue {
  const ofProcess = (queues[process] ??= {});
  return (ofProcess[name] ??= { workers: 0, active: 0, freeMs: 0, keys: {} });
}

/** Converts the delayed add of a key to an add if it is due by `untilMs`. */
function becomeDue(key: Key, untilMs: number): void {
  const { dueMs } = key;
  if (dueMs === undefined || dueMs > untilMs) return;
  delete key.dueMs;
  addAt(key, dueMs);
}

function addAt(key: Key, atMs: number): void {
  if (key.isActive) key.againMs = Math.min(key.againMs ?? Infinity, atMs);
  else key.readyMs = Math.min(key.readyMs ?? Infinity, atMs);
}

/**
 * Returns the time in milliseconds for which a key has waited while a worker was free and the process ran.
 */
function waitedMs(
  { active, workers, freeMs }: Queue,
  { readyMs }: Key,
  atMs: number,
  pausedUntilMs: number,
): number {
  if (readyMs === undefined || workers === 0 || active >= workers) return 0;
  return atMs - Math.max(readyMs, freeMs, Math.min(pausedUntilMs, atMs));
}

/**
 * Updates the state of the queue. Returns the state of the key before it was taken; undefined for other
 * observations.
 */
function note(queues: Queues, observation: Observation): Key | undefined {
  const { type, process, atMs } = observation;
  if (type === 'started') delete queues[process];
  if (type === 'queue.stopped') delete queues[process]?.[observation.queue];
  if (type === 'queue.started')
    Object.assign(queueOf(queues, process, observation.queue), {
      workers: observation.workers,
      freeMs: atMs,
    });
  if (type === 'queue.timer')
    for (const key of Object.values(queueOf(queues, process, observation.queue).keys))
      becomeDue(key, atMs + ROUNDING_MS);
  if (type !== 'queue.added' && type !== 'queue.took' && type !== 'queue.finished') return undefined;
  const queue = queueOf(queues, process, observation.queue);
  const key = (queue.keys[observation.key] ??= {});
  // A timer that is due in this instant may still fire; only earlier ones must have fired.
  becomeDue(key, atMs - ROUNDING_MS);
  if (type === 'queue.added') {
    const { delayMs } = observation;
    if (delayMs <= 0) addAt(key, atMs);
    else key.dueMs = Math.min(key.dueMs ?? Infinity, atMs + delayMs);
    return undefined;
  }
  if (type === 'queue.finished') return void finish(queue, key, atMs);
  const before = { ...key };
  delete key.readyMs;
  key.isActive = true;
  queue.active++;
  return before;
}

function finish(queue: Queue, key: Key, atMs: number): void {
  if (queue.active >= queue.workers) queue.freeMs = atMs;
  queue.active--;
  delete key.isActive;
  if (key.againMs === undefined) return;
  delete key.againMs;
  key.readyMs = atMs;
}

const TYPES = [
  'started',
  'queue.started',
  'queue.added',
  'queue.took',
  'queue.finished',
  'queue.timer',
  'queue.stopped',
] as const;

/** Returns a key that waits although a worker is free; undefined if there is none. */
function forgottenIn(
  queues: Queues,
  process: string,
  atMs: number,
  pausedUntilMs: number,
): string | undefined {
  for (const [name, queue] of Object.entries(queues[process] ?? {}))
    for (const [key, times] of Object.entries(queue.keys)) {
      becomeDue(times, atMs);
      const ms = waitedMs(queue, times, atMs, pausedUntilMs);
      if (ms > LONGEST_WAIT_MS) return `${process}: ${name} has not taken ${key} for ${ms} ms`;
    }
  return undefined;
}

/** Invariants of in-process work queues. */
export const queueRules: readonly Invariant[] = [
  invariant<Queues>({
    id: 'process/free-worker-takes-due-key',
    says: 'a free worker takes a key within a second after it was added, became due, or was added during its reconcile',
    controller: '*',
    kind: 'never',
    ofOwnKeys: true,
    observations: [...TYPES, 'quiescent'],
    initial: () => ({}),
    onObservation(queues, observation) {
      const { type, process, atMs } = observation;
      if (type === 'quiescent')
        return verdict(queues, false, forgottenIn(queues, process, atMs, observation.pausedUntilMs));
      const known = note(queues, observation);
      if (type !== 'queue.took' || known === undefined) return undefined;
      const { queue: name, key, pausedUntilMs } = observation;
      const queue = queueOf(queues, process, name);
      // The worker that takes the key was free until now, so it is not counted as active.
      const ms = waitedMs({ ...queue, active: queue.active - 1 }, known, atMs, pausedUntilMs);
      const broken = `${process}: ${name} took ${key} only ${ms} ms after a worker was free`;
      return verdict(queues, true, ms > LONGEST_WAIT_MS ? broken : undefined);
    },
  }),
  invariant<Queues>({
    id: 'process/key-taken-once-for-an-add',
    says: 'no worker takes a key that was not added since it was last taken, nor one that another worker has',
    controller: '*',
    kind: 'never',
    ofOwnKeys: true,
    observations: TYPES,
    initial: () => ({}),
    onObservation(queues, observation) {
      const known = note(queues, observation);
      if (observation.type !== 'queue.took' || known === undefined) return undefined;
      const { process, queue, key } = observation;
      const which = `${process}: ${queue} took ${key}`;
      if (known.isActive) return verdict(queues, true, `${which}, which another worker has`);
      return verdict(queues, true, known.readyMs === undefined ? `${which}, which was not added` : undefined);
    },
  }),
];
