import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../../api/kinds/kind.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { type EventForm, createCorrelator } from './event-correlator.ts';

const objectOf = (name: string, uid = name): ApiObject => ({
  kind: 'Job',
  apiVersion: 'batch/v1',
  metadata: { name, namespace: 'team', uid },
});

interface Step {
  readonly component?: string;
  readonly object?: ApiObject;
  readonly type?: 'Normal' | 'Warning';
  readonly reason?: string;
  readonly message?: string;
  /** Delay before the event, in milliseconds. */
  readonly afterMs?: number;
}

const messages = (count: number, from = 0): readonly Step[] =>
  Array.from({ length: count }, (_, at) => ({ message: `m${at + from}` }));
const times = (count: number, step: Step): readonly Step[] => Array.from({ length: count }, () => step);
const combined = (message: string, count: number): string =>
  `(combined from similar events): ${message} x${count}`;

/** Returns the events after all steps as `message xCOUNT`, in the order of their first occurrence. */
async function outcome(form: EventForm, steps: readonly Step[]): Promise<readonly string[]> {
  const clock = createSimulatedClock();
  const correlator = createCorrelator({ clock, random: createSeededRandom(1), form });
  const seen = new Map<string, string>();
  for (const { component = 'c', object = objectOf('a'), type = 'Normal', reason = 'R', ...step } of steps) {
    await clock.advance(step.afterMs ?? 0);
    const found = correlator.correlate(component, object, type, reason, step.message ?? 'm');
    if (found === undefined) continue;
    const { message = '', count, series } = found.event;
    seen.set(found.name, `${message} x${count ?? series?.count ?? 1}`);
  }
  return [...seen.values()];
}

const MINUTE = 60_000;

const rules: readonly (readonly [says: string, steps: readonly Step[], expected: readonly string[]])[] = [
  ['counts equal events', times(3, {}), ['m x3']],
  ['separates the messages of one reason', [...messages(2), ...messages(2)], ['m0 x2', 'm1 x2']],
  ['separates reasons', [{ reason: 'A' }, { reason: 'B' }], ['m x1', 'm x1']],
  ['separates types', [{ type: 'Normal' }, { type: 'Warning' }], ['m x1', 'm x1']],
  ['separates components', [{ component: 'x' }, { component: 'y' }], ['m x1', 'm x1']],
  ['separates objects', [{ object: objectOf('a') }, { object: objectOf('b') }], ['m x1', 'm x1']],
  [
    'separates an object from a later one with the same name',
    [{ object: objectOf('a', 'first') }, { object: objectOf('a', 'second') }],
    ['m x1', 'm x1'],
  ],
  [
    'combines nothing before the tenth message',
    messages(9),
    messages(9).map(({ message }) => `${message} x1`),
  ],
  [
    'does not combine the messages of different reasons',
    messages(10).map((step, at) => ({ ...step, reason: `R${at % 2}` })),
    messages(10).map(({ message }) => `${message} x1`),
  ],
  [
    'combines from the tenth message of a reason on',
    messages(10),
    [...messages(9).map(({ message }) => `${message} x1`), combined('m9', 1)],
  ],
  [
    'starts over ten minutes after the last similar event',
    [...messages(9), { message: 'm9', afterMs: 10 * MINUTE + 1 }],
    messages(10).map(({ message }) => `${message} x1`),
  ],
  [
    'combines up to ten minutes after the last similar event',
    [...messages(9), { message: 'm9', afterMs: 10 * MINUTE }],
    [...messages(9).map(({ message }) => `${message} x1`), combined('m9', 1)],
  ],
  ['allows 25 events about an object at once', times(40, {}), ['m x25']],
  [
    'allows one more event every five minutes',
    [...times(30, { reason: 'A' }), { reason: 'B', afterMs: 5 * MINUTE }, { reason: 'C' }],
    ['m x25', 'm x1'],
  ],
  [
    'has a budget for each object and component',
    [...times(30, {}), { object: objectOf('b') }, { component: 'other' }],
    ['m x25', 'm x1', 'm x1'],
  ],
];

describe.each<EventForm>(['count', 'series'])('createCorrelator for events in the form %s', (form) => {
  it.each(rules)('%s', async (_, steps, expected) => {
    expect(await outcome(form, steps)).toEqual(expected);
  });
});

describe('combined events', () => {
  const steps = messages(12);

  it('have the newest message in the form `count`', async () => {
    expect((await outcome('count', steps)).at(-1)).toBe(combined('m11', 3));
  });

  it('retain the first message in the form `series`', async () => {
    expect((await outcome('series', steps)).at(-1)).toBe(combined('m9', 3));
  });
});
