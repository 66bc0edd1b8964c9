import type { Clock, Timer } from '../../base/clock/clock.ts';
import type { Environment } from '../../base/environment.ts';
import { messageOf } from '../../base/errors/coded.ts';
import type { Lifetime } from '../../base/lifetime/lifetimes.ts';
import type { Notice, NoticeBoard } from '../queue/work-queue.ts';

/** A process that runs controllers. */
export interface Replica {
  /** No two processes have the same. */
  readonly identity: string;
  /** Whether it is this process. */
  readonly own: boolean;
  /** Wall time. */
  readonly startedMs: number;
  /** How long ago it was last heard of, milliseconds. */
  readonly heardMs: number;
  /** Passes it had finished in the minute before it was last heard of, by controller; those without one are left out. */
  readonly passes: Readonly<Record<string, number>>;
}

export interface ReplicasOptions extends Environment {
  /** Of this process. Default a random one; where nobody else shares its keys `this process`. */
  readonly identity?: string;
  /** Where processes that share keys know each other from; default there are no others. */
  readonly board?: NoticeBoard | undefined;
  /** Passes that this process has finished since its start, by controller. */
  readonly finished: () => ReadonlyMap<string, number>;
}

/** The processes that share the work with this one. */
export interface Replicas extends Lifetime {
  /** This process first. */
  list(): readonly Replica[];
}

const BEAT_MS = 5_000;
const WINDOW_MS = 60_000;

/** Tells the others of this process every five seconds, and hears of them. In process there is nobody to tell. */
export function createReplicas(options: ReplicasOptions): Replicas {
  const { clock, random, log, board } = options;
  const identity = options.identity ?? (board === undefined ? 'this process' : random.uuid());
  const startedMs = clock.now();
  const recent = createRecent(clock, options.finished);
  let own: Replica = { identity, own: true, startedMs, heardMs: 0, passes: {} };
  let heard: { readonly atMs: number; readonly others: readonly Replica[] } = { atMs: 0, others: [] };
  let timer: Timer | undefined;
  let stopped = false;

  const beat = async (on: NoticeBoard): Promise<void> => {
    own = { ...own, passes: recent() };
    try {
      const { passes } = own;
      const notices = await on.exchange(identity, JSON.stringify({ startedMs, passes }));
      const others = notices.filter(({ author }) => author !== identity).flatMap(replicaOf);
      heard = { atMs: clock.monotonic(), others };
    } catch (thrown) {
      log.debug({ err: messageOf(thrown) }, 'replicas were not heard of');
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
        log.debug({ err: messageOf(thrown) }, 'replica did not say that it goes');
      });
    },
    list() {
      const sinceMs = clock.monotonic() - heard.atMs;
      const others = heard.others
        .map((other) => ({ ...other, heardMs: other.heardMs + sinceMs }))
        .filter(({ heardMs }) => heardMs <= (board?.lastsMs ?? 0));
      return [own, ...others];
    },
  };
}

/** Passes of the last minute, from the difference of what was finished then and now. */
function createRecent(
  clock: Clock,
  finished: () => ReadonlyMap<string, number>,
): () => Readonly<Record<string, number>> {
  const samples = [{ atMs: clock.monotonic(), finished: new Map<string, number>() }];
  return () => {
    const nowMs = clock.monotonic();
    const now = new Map(finished());
    samples.push({ atMs: nowMs, finished: now });
    // The window is counted from the newest sample that is as old.
    while ((samples[1]?.atMs ?? nowMs) <= nowMs - WINDOW_MS) samples.shift();
    const before = samples[0]?.finished;
    return Object.fromEntries(
      [...now]
        .map(([name, count]) => [name, count - (before?.get(name) ?? 0)] as const)
        .filter(([, count]) => count > 0),
    );
  };
}

/** A notice of another version of this program says nothing. */
function replicaOf({ author, text, ageMs }: Notice): readonly Replica[] {
  const read: unknown = parsed(text);
  if (typeof read !== 'object' || read === null || !('startedMs' in read) || !('passes' in read)) return [];
  const { startedMs, passes } = read;
  if (typeof startedMs !== 'number' || typeof passes !== 'object' || passes === null) return [];
  const counts = Object.entries(passes).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number',
  );
  return [{ identity: author, own: false, startedMs, heardMs: ageMs, passes: Object.fromEntries(counts) }];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
