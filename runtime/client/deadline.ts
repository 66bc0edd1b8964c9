import type { LateSignal } from '../../base/async/index.ts';
import type { Clock } from '../../base/clock/index.ts';
import { IntrusiveList, type Linked } from '../../base/collections/index.ts';

/**
 * A signal that follows other signals until it is released, so that no listener stays on a long-lived signal.
 */
export interface LinkedSignal extends LateSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  /** Callbacks for its abort, added by `onAbort`. */
  readonly followers: IntrusiveList<Follower>;
  abort(reason: unknown): void;
  release(): void;
}

interface Follower extends Linked<Follower> {
  readonly run: () => void;
}

const LINK = Symbol('link');

/**
 * A signal with its link. The link is stored on the signal, because a WeakMap of hundreds of signals would
 * burden the garbage collector.
 */
interface Linking extends AbortSignal {
  [LINK]?: LinkedSignal;
}

/**
 * Returns the link of a signal. All followers of a plain `AbortSignal` share one link, because event
 * listeners are expensive.
 */
export function linkOf(signal: Linking | LinkedSignal): LinkedSignal {
  if (!(signal instanceof AbortSignal)) return signal;
  const known = signal[LINK];
  if (known !== undefined) return known;
  const link = new FollowingSignal([]);
  signal[LINK] = link;
  if (signal.aborted) link.abort(signal.reason);
  else signal.addEventListener('abort', () => link.abort(signal.reason), { once: true });
  return link;
}

/**
 * Calls `run` when `signal` aborts, until the returned function is called. A signal may have any number of
 * followers, such as all open requests of a client. Since each one is removed, this is no leak.
 */
export function onAbort(signal: AbortSignal | LinkedSignal, run: () => void): () => void {
  const { followers } = linkOf(signal);
  const follower: Follower = { previous: undefined, next: undefined, run };
  followers.add(follower);
  return () => followers.delete(follower);
}

function notifyAll(all: IntrusiveList<Follower>): void {
  for (let follower = all.first; follower !== undefined; follower = all.first) {
    all.delete(follower);
    follower.run();
  }
}

type Source = AbortSignal | LinkedSignal | undefined;

class FollowingSignal implements LinkedSignal {
  readonly followers = new IntrusiveList<Follower>();
  readonly #undo: (() => void)[] = [];
  #controller: AbortController | undefined;
  #aborted: { readonly reason: unknown } | undefined;

  constructor(sources: readonly Source[]) {
    for (const source of sources) {
      if (source === undefined) continue;
      const link = linkOf(source);
      if (link.aborted) this.abort(link.reason);
      else this.#undo.push(onAbort(link, () => this.abort(link.reason)));
    }
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      const signal: Linking = this.#controller.signal;
      // Only this object can abort it, so its followers need no event listener.
      signal[LINK] = this;
      if (this.#aborted !== undefined) this.#controller.abort(this.#aborted.reason);
    }
    return this.#controller.signal;
  }

  get aborted(): boolean {
    return this.#aborted !== undefined;
  }

  get reason(): unknown {
    return this.#aborted?.reason;
  }

  throwIfAborted(): void {
    if (this.#aborted !== undefined) throw this.#aborted.reason;
  }

  abort(reason: unknown): void {
    this.#aborted ??= { reason };
    this.#controller?.abort(this.#aborted.reason);
    notifyAll(this.followers);
  }

  release(): void {
    for (const undo of this.#undo) undo();
    this.#undo.length = 0;
  }
}

/** Creates a signal that aborts with the first of `sources`. */
export const linkSignals = (...sources: readonly Source[]): LinkedSignal => new FollowingSignal(sources);

/** Settles like `work`, or rejects with the signal's reason as soon as it aborts. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal | LinkedSignal): Promise<T> {
  const link = linkOf(signal);
  return new Promise((resolve, reject) => {
    if (link.aborted) {
      work.catch(() => {});
      return reject(link.reason);
    }
    const release = onAbort(link, () => reject(link.reason));
    work.then(
      (value) => {
        release();
        resolve(value);
      },
      (thrown: unknown) => {
        release();
        reject(link.aborted ? link.reason : thrown);
      },
    );
  });
}

/** Runs `work` and aborts `link` with `late()` after `ms` milliseconds. */
export async function within<T>(
  clock: Clock,
  ms: number,
  link: LinkedSignal,
  late: () => Error,
  work: () => Promise<T>,
): Promise<T> {
  const timer = clock.setTimeout(() => link.abort(late()), ms);
  try {
    link.throwIfAborted();
    return await orAborted(work(), link);
  } finally {
    clock.clearTimeout(timer);
  }
}
