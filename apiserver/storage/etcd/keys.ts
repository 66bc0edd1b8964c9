/** Mapping between the keys of one store and those of etcd. */
export interface Keys {
  /** Range of all keys of the store: `first` is its start, `end` the first key behind the range. */
  readonly first: string;
  readonly end: Buffer;
  /**
   * Key inside the range that stores no object. Writing it advances the revision in the stream of changes.
   */
  readonly tick: string;
  toEtcd(key: string): string;
  /** Returns undefined for the tick key, which stores no object. */
  toKey(etcdKey: string): string | undefined;
}

/** Creates the mapping. The prefix, such as `/store`, is put in front of each key, which begins with `/`. */
export function createKeys(prefix: string): Keys {
  const first = `${prefix}/`;
  const end = Buffer.from(first);
  // The range ends at the byte after `/`, in place of the slash at the end of the prefix.
  end[end.length - 1] = '/'.charCodeAt(0) + 1;
  const tick = `${prefix}//revision`;
  return {
    first,
    end,
    tick,
    toEtcd: (key) => prefix + key,
    toKey: (etcdKey) => (etcdKey === tick ? undefined : etcdKey.slice(prefix.length)),
  };
}
