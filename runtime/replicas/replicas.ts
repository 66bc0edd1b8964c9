import type { Clock, Timer } from '../../base/clock/index.ts';
import type { Environment } from '../../base/environment.ts';
import { messageOf } from '../../base/errors/index.ts';
import type { Lifetime } from '../../base/lifetime/index.ts';
import type { Notice, NoticeBoard } from '../queue/work-queue.ts';

/** A process that runs controllers. */
export interface Replica {
  /** Unique among all processes. */
  readonly identity: string;
  /** True for this process. */
  readonly own: boolean;
  /** Start time in milliseconds since the epoch. */
  readonly startedMs: number;
  /** Milliseconds since its last notice. */
  readonly silentMs: number;
  /** Number of reconciles in the minute before its last notice, by controller; zero counts are left out. */
  readonly reconciles: Readonly<Record<string, number>>;
}

/** Options of `createReplicas`. */
export interface ReplicasOptions extends Environment {
  /** Name of this process. Default: a random one, `this process` without a board. */
  readonly identity?: string;
  /** Board shared with other processes; default none. */
  readonly board?: NoticeBoard | undefined;
  /** Returns the number of finished reconciles since the start, by controller. */
  readonly finished: () => ReadonlyMap<string, number>;
}

/** The processes that share the work. */
export interface Replicas extends Lifetime {
  /** Returns all replicas, this process first. */
  list(): readonly Replica[];
}

/** Interval of notices in milliseconds. */
const BEAT_MS = 5_000;
/** Window in which reconciles are counted, in milliseconds. */
const WINDOW_MS = 60_000;

/**
 * Creates the list of replicas. Publishes a notice of this process every five seconds and reads those of
 * others; without a board it does neither.
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

/** Counts the reconciles of the last minute as the difference between two samples. */
function createRecent(
  clock: Clock,
  finished: () => ReadonlyMap<string, number>,
): () => Readonly<Record<string, number>> {
  const samples = [{ atMs: clock.monotonic(), finished: new Map<string, number>() }];
  return () => {
    const nowMs = clock.monotonic();
    const now = new Map(finished());
    samples.push({ atMs: nowMs, finished: now });
    // Keeps the newest sample that is at least as old as the window.
    while ((samples[1]?.atMs ?? nowMs) <= nowMs - WINDOW_MS) samples.shift();
    const before = samples[0]?.finished;
    return Object.fromEntries(
      [...now]
        .map(([name, count]) => [name, count - (before?.get(name) ?? 0)] as const)
        .filter(([, count]) => count > 0),
    );
  };
}

/** Parses a notice; returns nothing for one in the format of another version. */
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
