/** Where the keys of one store stand among all of etcd. */
export interface Keys {
  /** The range of all of them: the first possible one, and the first that is none. */
  readonly first: string;
  readonly end: Buffer;
  /** A key in the range that is no object's. */
  readonly tick: string;
  toEtcd(key: string): string;
  /** Undefined for a key that is no object's. */
  toKey(etcdKey: string): string | undefined;
}

/** `prefix`, such as `/store`, stands before keys, which begin with `/`. */
export function createKeys(prefix: string): Keys {
  const first = `${prefix}/`;
  const end = Buffer.from(first);
  // The byte that follows `/`: no key with the prefix comes after it.
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
