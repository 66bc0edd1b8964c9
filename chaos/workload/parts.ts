import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { Random } from '../../base/random/index.ts';
import type { Action } from '../world/user.ts';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
/** Duration below which a run needs shorter intervals to show anything. */
export const SHORT_MS = 10 * MINUTE;

/** Inputs of a workload part. */
export interface Making {
  readonly random: Random;
  readonly vocabulary: Vocabulary;
  readonly startMs: number;
  /** End of the actions, milliseconds after the start. */
  readonly untilMs: number;
  /** End of the run, milliseconds after the start. */
  readonly endsMs: number;
}

/** Actions for some controllers. */
export type Part = (making: Making) => readonly Action[];

export const TEAM = 'team';

export const encoded = (text: string): string => Buffer.from(text).toString('base64');

export const oneOf = <T>(random: Random, items: readonly T[]): T => items[random.int(items.length)] as T;

/** Returns at most `count` random items, in their order. */
export function some<T>(random: Random, items: readonly T[], count: number): readonly T[] {
  const left = new Set(items);
  while (left.size > count) left.delete(oneOf(random, [...left]));
  return [...left];
}

/** True once in `times`, at random. */
export const once = (random: Random, times: number): boolean => random.int(times) === 0;

/** Returns a random time within the actions, in whole seconds. */
export const sometime = ({ random, untilMs }: Making): number =>
  random.int(Math.floor(untilMs / SECOND)) * SECOND;

/** Returns a random time after `afterMs`. */
export const later = ({ random, untilMs }: Making, afterMs: number): number =>
  afterMs + random.int(Math.max(1, Math.floor((untilMs - afterMs) / SECOND))) * SECOND;

export const create = (
  atMs: number,
  resource: string,
  namespace: string,
  name: string,
  object: Readonly<Record<string, unknown>> = {},
): Action => ({ atMs, verb: 'create', resource, namespace, name, object });

export const patch = (
  atMs: number,
  resource: string,
  namespace: string,
  name: string,
  change: unknown,
): Action => ({ atMs, verb: 'patch', resource, namespace, name, patch: change });

export const remove = (
  atMs: number,
  resource: string,
  namespace: string,
  name: string,
  propagation?: 'Orphan' | 'Background' | 'Foreground',
): Action => ({ atMs, verb: 'delete', resource, namespace, name, ...(propagation && { propagation }) });
