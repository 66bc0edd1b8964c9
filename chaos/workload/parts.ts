import type { Vocabulary } from '../../api/vocabulary/vocabulary.ts';
import type { Random } from '../../base/random/random.ts';
import type { Action } from '../world/user.ts';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
/** In a run that is over within this time hardly anything would come up of what takes ten minutes. */
export const SHORT_MS = 10 * MINUTE;

/** What a part of a workload is made from. */
export interface Making {
  readonly random: Random;
  readonly vocabulary: Vocabulary;
  readonly startMs: number;
  /** Everything happens within this time of the start, milliseconds. */
  readonly untilMs: number;
  /** When the run is over, milliseconds after the start. */
  readonly endsMs: number;
}

/** What some controllers have to do. */
export type Part = (making: Making) => readonly Action[];

export const TEAM = 'team';

export const encoded = (text: string): string => Buffer.from(text).toString('base64');

export const oneOf = <T>(random: Random, items: readonly T[]): T => items[random.int(items.length)] as T;

/** At most `count` of several, in their order. */
export function some<T>(random: Random, items: readonly T[], count: number): readonly T[] {
  const left = new Set(items);
  while (left.size > count) left.delete(oneOf(random, [...left]));
  return [...left];
}

/** True once in `times`. */
export const once = (random: Random, times: number): boolean => random.int(times) === 0;

/** Some time of the run, whole seconds. */
export const sometime = ({ random, untilMs }: Making): number =>
  random.int(Math.floor(untilMs / SECOND)) * SECOND;

/** Some time after `afterMs`. */
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
