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
 * Keys whose current value this store cannot read. The previous value is known but outdated, so reads, lists
 * and watches that include such a key fail with ERR_BROKEN_VALUE. A write or deletion of the key repairs it.
 */
export class BrokenKeys {
  readonly #keys = new Map<string, Broken>();
  readonly #followers = new Set<Follower>();

  /** Returns the first error for which `isWanted` returns true. */
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

  /** Replaces all keys. Followers of newly broken keys are notified. */
  replace(others: BrokenKeys): void {
    this.#keys.clear();
    for (const [key, { revision, error }] of others.#keys) this.add(key, revision, error);
  }

  assertKey(key: string): void {
    const broken = this.#keys.get(key);
    if (broken !== undefined) throw broken.error;
  }

  /** Throws if a key with `prefix` was broken at `revision`. Default: the newest revision. */
  assertPrefix(prefix: string, revision = Infinity): void {
    for (const [key, broken] of this.#keys)
      if (broken.revision <= revision && key.startsWith(prefix)) throw broken.error;
  }

  /**
   * Calls `onBroken` once, for the first key with `prefix` whose value becomes unreadable. Returns a function
   * that unsubscribes.
   */
  follow(prefix: string, onBroken: Follower['onBroken']): () => void {
    const follower: Follower = { prefix, onBroken };
    this.#followers.add(follower);
    return () => void this.#followers.delete(follower);
  }
}
