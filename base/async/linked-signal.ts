import { IntrusiveList, type Linked } from '../collections/intrusive-list.ts';
import type { LateSignal } from './cancellation.ts';

/**
 * Signal that follows other signals until it is released, so that no listener stays on a long-lived signal.
 */
export interface LinkedSignal extends LateSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  /** Callbacks that `onAbort` has added. */
  readonly followers: IntrusiveList<Follower>;
  abort(reason: unknown): void;
  release(): void;
}

interface Follower extends Linked<Follower> {
  readonly run: () => void;
}

const LINK = Symbol('link');

/**
 * Signal with its link. The link is a property of the signal, as a WeakMap of hundreds of signals would
 * burden the garbage collector.
 */
interface Linking extends AbortSignal {
  [LINK]?: LinkedSignal;
}

/**
 * Returns the link of a signal. All followers of an AbortSignal share one link, as event listeners are
 * expensive.
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
 * Calls `run` when `signal` aborts. The returned function removes the callback. A signal may have any number
 * of followers, such as all open requests of a client. This is no leak, as each follower is removed.
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
      // Only this object can abort the controller, so followers need no event listener.
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

/**
 * Returns a promise that settles like `work`, but rejects with the reason of the signal as soon as the signal
 * aborts.
 */
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
