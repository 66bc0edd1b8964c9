import type { Clock } from '../../base/clock/clock.ts';
import { IntrusiveList, type Linked } from '../../base/collections/intrusive-list.ts';

/** A signal that follows others, and can be let go of: nothing stays behind on a long-lived signal. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  release(): void;
}

interface Follower extends Linked<Follower> {
  readonly run: () => void;
}

/** Who follows a signal. It has one listener for them all: listeners are dear, and a list that is searched each time. */
const followers = new WeakMap<AbortSignal, IntrusiveList<Follower>>();

/**
 * Runs `run` when `signal` aborts, until the returned function is called. One signal may have any number of followers
 * (all requests under way of a client that closes), which is no leak, as each lets go.
 */
export function onAbort(signal: AbortSignal, run: () => void): () => void {
  const all = followers.get(signal) ?? followAll(signal);
  const follower: Follower = { previous: undefined, next: undefined, run };
  all.add(follower);
  return () => all.delete(follower);
}

function followAll(signal: AbortSignal): IntrusiveList<Follower> {
  const all = new IntrusiveList<Follower>();
  followers.set(signal, all);
  signal.addEventListener('abort', () => tell(all), { once: true });
  return all;
}

function tell(all: IntrusiveList<Follower>): void {
  for (let follower = all.first; follower !== undefined; follower = all.first) {
    all.delete(follower);
    follower.run();
  }
}

class FollowingSignal implements LinkedSignal {
  readonly #controller = new AbortController();
  readonly #followers = new IntrusiveList<Follower>();
  readonly #undo: (() => void)[] = [];
  readonly signal = this.#controller.signal;

  constructor(sources: readonly (AbortSignal | undefined)[]) {
    // Nobody else can abort it: its followers need no listener.
    followers.set(this.signal, this.#followers);
    for (const source of sources) {
      if (source === undefined) continue;
      if (source.aborted) this.abort(source.reason);
      else this.#undo.push(onAbort(source, () => this.abort(source.reason)));
    }
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
    tell(this.#followers);
  }

  release(): void {
    for (const undo of this.#undo) undo();
    this.#undo.length = 0;
  }
}

export const linkSignals = (...sources: readonly (AbortSignal | undefined)[]): LinkedSignal =>
  new FollowingSignal(sources);

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
