import type { DirectName } from './command.ts';
import { notServed } from './job-queue.ts';
import type { Keyspace } from './keyspace.ts';
import { between } from './list.ts';

type Direct = (space: Keyspace, key: string, args: readonly unknown[]) => unknown;

const texts = (args: readonly unknown[]): string[] => args.map(String);

/** Implementations of Redis commands, with the arguments with which BullMQ's client calls them. */
const directs: { readonly [name in DirectName]: Direct } = {
  del: (space, key, args) => [key, ...texts(args)].filter((each) => space.delete(each)).length,
  get: (space, key) => space.get(key) ?? null,
  hdel: (space, key, args) => space.deleteFields(key, ...texts(args)),
  hexists: (space, key, [name]) => Number(space.field(key, String(name)) !== undefined),
  hget: (space, key, [name]) => space.field(key, String(name)) ?? null,
  hgetall: (space, key) => Object.fromEntries(space.hash(key)),
  hmget: (space, key, args) => texts(args).map((name) => space.field(key, name) ?? null),
  hset: (space, key, [fields]) =>
    space.setFields(key, ...Object.entries(fields as Record<string, string | number>).flat()),
  llen: (space, key) => space.length(key),
  lpos: (space, key, [item]) => space.indexOf(key, String(item)) ?? null,
  lrange: (space, key, [start, stop]) => space.range(key, Number(start), Number(stop)),
  set: (space, key, [value, options]) => {
    const { PX, EX, ...others } = (options ?? {}) as { readonly PX?: number; readonly EX?: number };
    if (Object.keys(others).length > 0) notServed(`SET with ${Object.keys(others).join(' ')}`);
    space.set(key, String(value), PX ?? (EX === undefined ? undefined : EX * 1_000));
    return 'OK';
  },
  zcard: (space, key) => space.sorted(key).size,
  zrange: (space, key, [start, stop, options]) => {
    if (options !== undefined) notServed('ZRANGE with options');
    return between(space.sorted(key).members(), Number(start), Number(stop));
  },
  zscore: (space, key, [member]) => {
    const score = space.score(key, String(member));
    return score === undefined ? null : String(score);
  },
};

export const isDirect = (name: string): name is DirectName => Object.hasOwn(directs, name);

export const runDirect = (space: Keyspace, name: DirectName, [key, ...args]: readonly unknown[]): unknown =>
  directs[name](space, String(key), args);

export const DIRECT_NAMES: readonly string[] = Object.keys(directs);
