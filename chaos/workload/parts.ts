import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { Random } from '../../base/random/index.ts';
import type { Action } from '../world/user.ts';
import type { Draw } from './draw.ts';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
/** Duration of a run in milliseconds below which schedules need shorter intervals to become due. */
export const SHORT_MS = 10 * MINUTE;

/** Settings of a workload. */
export interface WorkloadSettings {
  readonly random: Random;
  readonly vocabulary: Vocabulary;
  readonly startMs: number;
  /** End of the actions in milliseconds after the start. */
  readonly untilMs: number;
  /** End of the run in milliseconds after the start. */
  readonly endsMs: number;
}

/** Settings of a workload with its random choices. */
export interface Making extends WorkloadSettings {
  readonly draw: Draw;
}

/** Part of a workload. Returns the actions for some controllers. */
export type Part = (making: Making) => readonly Action[];

export type Propagation = NonNullable<Action['propagation']>;
export const PROPAGATIONS: readonly Propagation[] = ['Background', 'Foreground', 'Orphan'];

export const TEAM = 'team';

export const encoded = (text: string): string => Buffer.from(text).toString('base64');

export const oneOf = <T>(random: Random, items: readonly T[]): T => items[random.int(items.length)] as T;

/** Returns at most `count` random items in their original order. */
export function some<T>(random: Random, items: readonly T[], count: number): readonly T[] {
  const left = new Set(items);
  while (left.size > count) left.delete(oneOf(random, [...left]));
  return [...left];
}

/** Returns a random time for an action, in milliseconds after the start, rounded to seconds. */
export const sometime = ({ random, untilMs }: WorkloadSettings): number =>
  random.int(Math.floor(untilMs / SECOND)) * SECOND;

/** Returns a random time for an action after `afterMs`. */
export const later = ({ random, untilMs }: WorkloadSettings, afterMs: number): number =>
  afterMs + random.int(Math.max(1, Math.floor((untilMs - afterMs) / SECOND))) * SECOND;

/** Returns the time after a fraction of the period in which users act. */
export const fraction = ({ untilMs }: WorkloadSettings, part: number): number => untilMs * part;

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
  subresource?: string,
): Action => ({
  atMs,
  verb: 'patch',
  resource,
  namespace,
  name,
  patch: change,
  ...(subresource !== undefined && { subresource }),
});

export const remove = (
  atMs: number,
  resource: string,
  namespace: string,
  name: string,
  propagation?: Propagation,
): Action => ({ atMs, verb: 'delete', resource, namespace, name, ...(propagation && { propagation }) });
