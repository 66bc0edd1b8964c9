import type { ApiObject, DeepReadonly } from '../../api/kinds/index.ts';
import { fromTime } from '../../base/clock/index.ts';
import { isRecord } from '../../base/collections/index.ts';

/** Fields of a status that have the time of a change. */
const STATUS_TIMES = ['startTime', 'completionTime', 'lastScheduleTime', 'lastSuccessfulTime'] as const;
const CONDITION_TIMES = ['lastTransitionTime', 'lastUpdateTime'] as const;

const timesIn = (value: unknown, names: readonly string[]): readonly (number | undefined)[] =>
  isRecord(value) ? names.map((name) => timeOf(value[name])) : [];

const timeOf = (value: unknown): number | undefined =>
  typeof value === 'string' ? fromTime(value) : undefined;

/**
 * Returns the time of the last change that the fields of an object show, in milliseconds since the epoch: its creation,
 * its deletion, or a time in its status. The result is at most `nowMs`.
 */
export function lastChangeMs(object: DeepReadonly<ApiObject>, nowMs: number): number {
  const { metadata } = object;
  const { status } = object as { readonly status?: unknown };
  const conditions: unknown = isRecord(status) ? status['conditions'] : undefined;
  const times = [
    ...timesIn(metadata, ['creationTimestamp', 'deletionTimestamp']),
    ...timesIn(status, STATUS_TIMES),
    ...(Array.isArray(conditions) ? conditions.flatMap((each) => timesIn(each, CONDITION_TIMES)) : []),
  ];
  const past = times.filter((each): each is number => each !== undefined && each <= nowMs);
  return past.length === 0 ? nowMs : Math.max(...past);
}
