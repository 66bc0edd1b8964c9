import type { StorageError } from '../storage.ts';

interface Broken {
  readonly revision: number;
  readonly error: StorageError;
}

interface Follower {
  readonly prefix: string;
  readonly onBroken: (error: StorageError) => void;
}

/**
 * Keys whose present values are none of this store. What they were before is still known, and no longer true: who asks for
 * them, for keys among which they are, or follows such, gets ERR_BROKEN_VALUE, until they are written or deleted.
 */
export class BrokenKeys {
  readonly #keys = new Map<string, Broken>();
  readonly #followers = new Set<Follower>();

  /** The error of one of them that `isWanted`. */
  find(isWanted: (error: StorageError) => boolean): StorageError | undefined {
    for (const { error } of this.#keys.values()) if (isWanted(error)) return error;
    return undefined;
  }

  add(key: string, revision: number, error: StorageError): void {
    this.#keys.set(key, { revision, error });
    for (const follower of this.#followers) {
      if (!key.startsWith(follower.prefix)) continue;
      this.#followers.delete(follower);
      follower.onBroken(error);
    }
  }

  delete(key: string): void {
    this.#keys.delete(key);
  }

  /** Others than before. */
  replace(others: BrokenKeys): void {
    this.#keys.clear();
    for (const [key, { revision, error }] of others.#keys) this.add(key, revision, error);
  }

  assertKey(key: string): void {
    const broken = this.#keys.get(key);
    if (broken !== undefined) throw broken.error;
  }

  /** Keys with `prefix`, as they are at `revision`; default the newest. */
  assertPrefix(prefix: string, revision = Infinity): void {
    for (const [key, broken] of this.#keys)
      if (broken.revision <= revision && key.startsWith(prefix)) throw broken.error;
  }

  /** Calls `onBroken` once, with the first key with `prefix` that breaks. Gives what ends that. */
  follow(prefix: string, onBroken: Follower['onBroken']): () => void {
    const follower: Follower = { prefix, onBroken };
    this.#followers.add(follower);
    return () => void this.#followers.delete(follower);
  }
}
