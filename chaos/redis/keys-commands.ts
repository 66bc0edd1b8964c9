import { CLAIM_MS, REMEMBERED_MS, TAKE_LEASE_MS } from '../../runtime/queue/index.ts';
import type { KeysName } from './command.ts';
import type { Keyspace } from './keyspace.ts';

/** A timer as it is sent: key, delay in milliseconds, retries. */
export type SentTimer = readonly [key: string, delayMs: number, retries: number];
/** Reply of `timers.take`. */
export interface SentTaken {
  readonly due: readonly (readonly [key: string, retries: number, isAgain: boolean])[];
  /** Time until the next timer in milliseconds; -1 if there is no timer. */
  readonly nextMs: number;
  readonly generation: string;
}

type KeysCommand = (space: Keyspace, prefix: string, args: readonly unknown[], runId: string) => unknown;

const timerKeys = (prefix: string) => ({
  due: `${prefix}:timer`,
  retries: `${prefix}:timer-retries`,
  taken: `${prefix}:timer-taken`,
  generation: `${prefix}:generation`,
});

const addTimers: KeysCommand = (space, prefix, args) => {
  const { due, retries } = timerKeys(prefix);
  for (const [key, delayMs, count] of args as readonly SentTimer[]) {
    const dueMs = space.nowMs() + Math.ceil(delayMs);
    if (dueMs < (space.score(due, key) ?? Infinity)) space.setScore(due, key, dueMs);
    if (count > 0) space.setFields(retries, key, count);
  }
  return null;
};

const takeTimers: KeysCommand = (space, prefix, args, runId): SentTaken => {
  const [limit, fresh] = args as [number, string];
  const keys = timerKeys(prefix);
  const nowMs = space.nowMs();
  if (!space.exists(keys.generation)) space.set(keys.generation, fresh);
  const lapsed = space.sorted(keys.taken).within(-Infinity, nowMs - TAKE_LEASE_MS, limit);
  for (const key of lapsed) space.setScore(keys.taken, key, nowMs);
  const due = space.sorted(keys.due).within(-Infinity, nowMs, limit);
  for (const key of due) {
    space.removeMembers(keys.due, key);
    space.setScore(keys.taken, key, nowMs);
  }
  const [next] = space.sorted(keys.due).members();
  const given = (key: string, isAgain: boolean) =>
    [key, Number(space.field(keys.retries, key) ?? 0), isAgain] as const;
  return {
    due: [...lapsed.map((key) => given(key, true)), ...due.map((key) => given(key, false))],
    nextMs: next === undefined ? -1 : Math.max(0, Math.ceil((space.score(keys.due, next) ?? 0) - nowMs)),
    generation: `${space.get(keys.generation) ?? ''}.${runId}`,
  };
};

const timersDone: KeysCommand = (space, prefix, args) => {
  const { due, retries, taken } = timerKeys(prefix);
  for (const key of args.map(String)) {
    space.removeMembers(taken, key);
    if (space.score(due, key) === undefined) space.deleteFields(retries, key);
  }
  return null;
};

const changeKeys = (prefix: string) => ({ claimed: `${prefix}:claimed`, covered: `${prefix}:covered` });

/** Drops expired claims and expired covered changes. */
function forgetChanges(space: Keyspace, prefix: string): void {
  for (const key of Object.values(changeKeys(prefix))) {
    space.removeMembers(key, ...space.sorted(key).within(-Infinity, space.nowMs() - REMEMBERED_MS));
    space.expireIn(key, REMEMBERED_MS);
  }
}

/** Returns claims in the form that `claimOf` reads. */
const offerChanges: KeysCommand = (space, prefix, args) => {
  const { claimed, covered } = changeKeys(prefix);
  const nowMs = space.nowMs();
  const claims = args.map(String).map((name) => {
    const claimedMs = space.score(claimed, name);
    if (space.score(covered, name) !== undefined)
      return -2 - (claimedMs === undefined ? REMEMBERED_MS : Math.max(0, nowMs - claimedMs));
    if (claimedMs !== undefined && nowMs - claimedMs < CLAIM_MS) return Math.max(0, nowMs - claimedMs);
    space.setScore(claimed, name, nowMs);
    return -1;
  });
  forgetChanges(space, prefix);
  return claims;
};

const claimChanges: KeysCommand = (space, prefix, args) => {
  const { claimed, covered } = changeKeys(prefix);
  for (const name of args.map(String)) {
    space.removeMembers(covered, name);
    space.setScore(claimed, name, space.nowMs());
  }
  forgetChanges(space, prefix);
  return null;
};

const changesCovered: KeysCommand = (space, prefix, args) => {
  const { covered } = changeKeys(prefix);
  for (const name of args.map(String)) space.setScore(covered, name, space.nowMs());
  forgetChanges(space, prefix);
  return null;
};

const clear: KeysCommand = (space, prefix) => {
  for (const key of space.names()) if (key.startsWith(`${prefix}:`)) space.delete(key);
  return null;
};

/** Implementations of the commands that behave like the Lua scripts in runtime/queue. */
const commands: { readonly [name in KeysName]: KeysCommand } = {
  'timers.add': addTimers,
  'timers.take': takeTimers,
  'timers.done': timersDone,
  'timers.size': (space, prefix) => space.sorted(timerKeys(prefix).due).size,
  'changes.offer': offerChanges,
  'changes.claim': claimChanges,
  'changes.covered': changesCovered,
  clear,
};

export const isKeysCommand = (name: string): name is KeysName => Object.hasOwn(commands, name);

export const runKeysCommand = (name: KeysName, ...rest: Parameters<KeysCommand>): unknown =>
  commands[name](...rest);
