import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { workloads } from './scenarios/index.ts';
import { type Reply, type TwinProcesses, createTwinProcesses } from './twin-processes.fixture.ts';
import type { Cut } from './watched-history.fixture.ts';

/** One step of both processes. Numbers select one of what is possible, cyclically. */
type Step =
  | { readonly type: 'act' | 'deliver' | 'expire'; readonly nth: number }
  | { readonly type: 'reply'; readonly nth: number; readonly reply: Reply }
  | { readonly type: 'cut'; readonly nth: number; readonly how: Cut }
  | { readonly type: 'wait'; readonly ms: number }
  | { readonly type: 'resync' };

const nth = fc.nat(11);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('act' as const), nth }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('deliver' as const), nth }) },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('reply' as const),
      nth,
      reply: fc.constantFrom<Reply>('served', 'served', 'served', 'conflict', 'error', 'lost', 'unsent'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('cut' as const),
      nth,
      how: fc.constantFrom<Cut>('ended', 'failed', 'bookmark'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('expire' as const), nth }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('wait' as const), ms: fc.constantFrom(1_000, 8_000, 90_000) }),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'resync' as const }) },
);

async function perform(twins: TwinProcesses, each: Step): Promise<void> {
  if (each.type === 'reply') return twins.reply(each.nth, each.reply);
  if (each.type === 'cut') return twins.cut(each.nth, each.how);
  if (each.type === 'wait') return twins.wait(each.ms);
  if (each.type === 'resync') return twins.resync();
  return twins[each.type](each.nth);
}

/**
 * Workloads in which the first of several equal objects decides. A cache lists objects in the order in which
 * they arrived, the model in the order of their names.
 */
const ORDER_DECIDES: ReadonlySet<string> = new Set(['serviceaccount-token/duplicated']);

/** Number of sequences for each workload. */
const RUNS = 6;

async function compare(workload: string, steps: readonly Step[]): Promise<void> {
  const twins = await createTwinProcesses(workload, 2);
  try {
    for (const [at, each] of steps.entries()) {
      await perform(twins, each);
      expect(twins.differences().join('\n'), `after step ${at}, ${JSON.stringify(each)}`).toBe('');
    }
    await twins.settle();
    expect(twins.differences().join('\n'), 'in the end').toBe('');
  } finally {
    await twins.stop();
  }
}

describe('the model of a controller process', () => {
  it.each(workloads.filter((workload) => !ORDER_DECIDES.has(workload)))(
    'reads, requests and requeues as the runtime does with %s',
    async (workload) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 24 }), (steps) =>
          compare(workload, steps),
        ),
        { numRuns: RUNS, seed: 3 },
      );
    },
  );
});
