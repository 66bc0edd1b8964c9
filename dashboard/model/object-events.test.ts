import { expect, it } from 'vitest';
import { EVENT_COLUMNS, type EventObject, eventRowOf, sortEvents } from './object-events.ts';

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();

it.each<[string, EventObject, number, number]>([
  ['the count and last time of an old client', { count: 3, lastTimestamp: at(5) }, 5, 3],
  ['the time of a single occurrence', { eventTime: at(6) }, 6, 1],
  ['the series of a new client', { eventTime: at(1), series: { count: 9, lastObservedTime: at(7) } }, 7, 9],
  ['the creation if no time is set', { metadata: { creationTimestamp: at(2) } }, 2, 1],
])('reads %s', (_, event, minute, count) => {
  expect(eventRowOf(event)).toMatchObject({ lastMs: Date.parse(at(minute)), count });
});

it.each(EVENT_COLUMNS)('sorts by %s in both directions, equal values newest first', (column) => {
  const rows = [4, 8, 1].map((minute) =>
    eventRowOf({ lastTimestamp: at(minute), count: minute % 2, reason: `r${minute % 2}` }),
  );
  const up = sortEvents(rows, column, false);
  for (const [order, sorted] of [
    [1, up],
    [-1, sortEvents(rows, column, true)],
  ] as const)
    for (const [index, row] of sorted.entries()) {
      const next = sorted[index + 1];
      if (next === undefined) continue;
      if (row[column] === next[column]) expect(row.lastMs).toBeGreaterThanOrEqual(next.lastMs);
      else expect(order * (row[column] < next[column] ? -1 : 1)).toBe(-1);
    }
});
