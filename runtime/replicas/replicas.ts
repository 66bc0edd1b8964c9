import type { Clock, Timer } from '../../base/clock/index.ts';
import type { Environment } from '../../base/environment.ts';
import { messageOf } from '../../base/errors/index.ts';
import type { Lifetime } from '../../base/lifetime/index.ts';
import type { Notice, NoticeBoard } from '../queue/work-queue.ts';

/** A process that runs controllers. */
export interface Replica {
  /** Name of the process, unique among all replicas. */
  readonly identity: string;
  /** True for this process. */
  readonly own: boolean;
  /** Start time in milliseconds since the epoch. */
  readonly startedMs: number;
  /** Milliseconds since the last notice of the process. */
  readonly silentMs: number;
  /**
   * Number of reconciles by controller in the minute before the process's last notice; controllers without
   * reconciles are missing.
   */
  readonly reconciles: Readonly<Record<string, number>>;
}

/** Options of `createReplicas`. */
export interface ReplicasOptions extends Environment {
  /** Name of this process. Default: a random name, or `this process` without a board. */
  readonly identity?: string;
  /** Notice board shared with other processes. Default: none. */
  readonly board?: NoticeBoard | undefined;
  /** Returns the number of finished reconciles by controller since the start of the process. */
  readonly finished: () => ReadonlyMap<string, number>;
}

/** List of the processes that share the keys. */
export interface Replicas extends Lifetime {
  /** Returns all replicas, this process first. */
  list(): readonly Replica[];
}

/** Interval of notices in milliseconds. */
const BEAT_MS = 5_000;
/** Window in which reconciles are counted, in milliseconds. */
const WINDOW_MS = 60_000;

/**
 * Creates the list of replicas. Every five seconds, publishes a notice of this process and reads the notices
 * of other processes. Without a board, lists only this process.
 */
export function createReplicas(options: ReplicasOptions): Replicas {
  const { clock, random, log, board } = options;
  const identity = options.identity ?? (board === undefined ? 'this process' : random.uuid());
  const startedMs = clock.now();
  const recent = createRecent(clock, options.finished);
  let own: Replica = { identity, own: true, startedMs, silentMs: 0, reconciles: {} };
  let latest: { readonly atMs: number; readonly others: readonly Replica[] } = { atMs: 0, others: [] };
  let timer: Timer | undefined;
  let stopped = false;

  const beat = async (on: NoticeBoard): Promise<void> => {
    own = { ...own, reconciles: recent() };
    try {
      const { reconciles } = own;
      const notices = await on.exchange(identity, JSON.stringify({ startedMs, reconciles }));
      const others = notices.filter(({ author }) => author !== identity).flatMap(replicaOf);
      latest = { atMs: clock.monotonic(), others };
    } catch (thrown) {
      log.debug({ err: messageOf(thrown) }, 'failed to read the notices of other replicas');
    }
    if (!stopped) timer = clock.setTimeout(() => void beat(on), BEAT_MS);
  };
  return {
    name: 'replicas',
    start() {
      if (board !== undefined) void beat(board);
      return Promise.resolve();
    },
    async stop() {
      stopped = true;
      clock.clearTimeout(timer);
      await board?.remove(identity).catch((thrown: unknown) => {
        log.debug({ err: messageOf(thrown) }, 'failed to remove the notice of this replica');
      });
    },
    list() {
      const sinceMs = clock.monotonic() - latest.atMs;
      const others = latest.others
        .map((other) => ({ ...other, silentMs: other.silentMs + sinceMs }))
        .filter(({ silentMs }) => silentMs <= (board?.lastsMs ?? 0));
      return [own, ...others];
    },
  };
}

/**
 * Returns a function that counts the reconciles of the last minute, as the difference between two samples.
 */
function createRecent(
  clock: Clock,
  finished: () => ReadonlyMap<string, number>,
): () => Readonly<Record<string, number>> {
  const samples = [{ atMs: clock.monotonic(), finished: new Map<string, number>() }];
  return () => {
    const nowMs = clock.monotonic();
    const now = new Map(finished());
    samples.push({ atMs: nowMs, finished: now });
    // Retains the newest sample that is at least as old as the window.
    while ((samples[1]?.atMs ?? nowMs) <= nowMs - WINDOW_MS) samples.shift();
    const before = samples[0]?.finished;
    return Object.fromEntries(
      [...now]
        .map(([name, count]) => [name, count - (before?.get(name) ?? 0)] as const)
        .filter(([, count]) => count > 0),
    );
  };
}

/** Parses a notice. Returns an empty array for a notice in the format of another version. */
function replicaOf({ author, text, ageMs }: Notice): readonly Replica[] {
  const read: unknown = parsed(text);
  if (typeof read !== 'object' || read === null || !('startedMs' in read) || !('reconciles' in read))
    return [];
  const { startedMs, reconciles } = read;
  if (typeof startedMs !== 'number' || typeof reconciles !== 'object' || reconciles === null) return [];
  const counts = Object.entries(reconciles).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number',
  );
  return [
    { identity: author, own: false, startedMs, silentMs: ageMs, reconciles: Object.fromEntries(counts) },
  ];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
