import type { Clock } from '../../base/clock/clock.ts';

/** A signal that follows others, and can be let go of: nothing stays behind on a long-lived signal. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  release(): void;
}

/** Who follows a signal. It has one listener for them all: listeners are dear, and a list that is searched each time. */
const followers = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Runs `run` when `signal` aborts, until the returned function is called. One signal may have any number of followers
 * (all requests under way of a client that closes), which is no leak, as each lets go.
 */
export function onAbort(signal: AbortSignal, run: () => void): () => void {
  const all = followers.get(signal) ?? followAll(signal);
  // Its own, so that one function may follow twice.
  const follower = (): void => run();
  all.add(follower);
  return () => void all.delete(follower);
}

function followAll(signal: AbortSignal): Set<() => void> {
  const all = new Set<() => void>();
  followers.set(signal, all);
  signal.addEventListener('abort', () => tell(all), { once: true });
  return all;
}

function tell(all: Set<() => void>): void {
  for (const follower of all) {
    all.delete(follower);
    follower();
  }
}

export function linkSignals(...sources: readonly (AbortSignal | undefined)[]): LinkedSignal {
  const controller = new AbortController();
  // Nobody else can abort it: its followers need no listener.
  const all = new Set<() => void>();
  followers.set(controller.signal, all);
  const abort = (reason: unknown): void => {
    controller.abort(reason);
    tell(all);
  };
  const undo: (() => void)[] = [];
  const release = (): void => {
    for (const each of undo.splice(0)) each();
  };
  for (const source of sources) {
    if (source === undefined) continue;
    const follow = (): void => abort(source.reason);
    if (source.aborted) follow();
    else undo.push(onAbort(source, follow));
  }
  return { signal: controller.signal, abort, release };
}

/** `work`, or the signal's reason as soon as it aborts, whatever becomes of `work` then. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      work.catch(() => {});
      return reject(signal.reason);
    }
    const release = onAbort(signal, () => reject(signal.reason));
    work.then(
      (value) => {
        release();
        resolve(value);
      },
      (thrown: unknown) => {
        release();
        reject(signal.aborted ? signal.reason : thrown);
      },
    );
  });
}

/** Runs `work` and aborts its signal with `late()` once `ms` have passed. */
export async function within<T>(
  clock: Clock,
  ms: number,
  link: LinkedSignal,
  late: () => Error,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timer = clock.setTimeout(() => link.abort(late()), ms);
  try {
    link.signal.throwIfAborted();
    return await orAborted(work(link.signal), link.signal);
  } finally {
    clock.clearTimeout(timer);
  }
}
