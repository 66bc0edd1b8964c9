/** Mapping between the keys of one store and those of etcd. */
export interface Keys {
  /** The range of all keys of the store: the first possible one, and the first one after them. */
  readonly first: string;
  readonly end: Buffer;
  /** A key inside the range that stores no object. */
  readonly tick: string;
  toEtcd(key: string): string;
  /** Returns undefined for the tick key, which stores no object. */
  toKey(etcdKey: string): string | undefined;
}

/** Creates the mapping. `prefix`, such as `/store`, is put in front of keys, which begin with `/`. */
export function createKeys(prefix: string): Keys {
  const first = `${prefix}/`;
  const end = Buffer.from(first);
  // The byte after `/` ends the range of keys with the prefix.
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
