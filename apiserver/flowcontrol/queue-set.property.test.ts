import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type QueueSetFixture, type Sent, configured, createFixture, flowOf } from './queue-set.fixture.ts';
import { ONE_SEAT, type WorkEstimate } from './work.ts';

const FLOWS = ['ann', 'bob', 'cat', 'dan'].map(flowOf);

const work: fc.Arbitrary<WorkEstimate> = fc.record({
  initialSeats: fc.integer({ min: 1, max: 4 }),
  finalSeats: fc.integer({ min: 0, max: 6 }),
  additionalLatencyMs: fc.constantFrom(0, 5, 50),
});

type Step =
  | { readonly do: 'send'; readonly flow: number; readonly work: WorkEstimate }
  | { readonly do: 'finish' | 'answer' | 'leave' | 'wait' | 'configure'; readonly pick: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('send' as const), flow: fc.nat(3), work }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('finish', 'finish', 'answer', 'leave', 'wait', 'configure'),
      pick: fc.nat(1_000),
    }),
  },
);

/** Returns the requests in the given state, oldest first. */
const inState = (sent: readonly Sent[], state: string): Sent[] =>
  sent.filter(({ request }) => request.state === state);

async function take(fixture: QueueSetFixture, sent: Sent[], each: Step): Promise<void> {
  if (each.do === 'send') {
    sent.push(fixture.send(FLOWS[each.flow] ?? flowOf(''), each.work));
    return;
  }
  const { set, clock } = fixture;
  const executing = inState(sent, 'executing');
  const chosen = executing[each.pick % Math.max(1, executing.length)];
  if (each.do === 'finish' && chosen !== undefined) set.finish(chosen.request);
  if (each.do === 'answer' && chosen !== undefined) set.answered(chosen.request);
  const waiting = inState(sent, 'waiting');
  const leaving = waiting[each.pick % Math.max(1, waiting.length)];
  if (each.do === 'leave' && leaving !== undefined) {
    expect(set.leave(leaving.request)).toBe(true);
    leaving.verdict = 'reject';
  }
  if (each.do === 'wait') await clock.advance(each.pick);
  if (each.do === 'configure')
    set.configure(CONFIGURATIONS[each.pick % CONFIGURATIONS.length] ?? configured());
}

const CONFIGURATIONS = [
  configured({ concurrencyLimit: 3 }),
  configured({ concurrencyLimit: 1, queuing: { queues: 2, handSize: 1, queueLengthLimit: 2 } }),
  configured({ concurrencyLimit: 8, queuing: undefined }),
];

describe('queue set under any sequence of operations', () => {
  it('never exceeds its seats, loses no request and reports one outcome for each request', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const fixture = createFixture({ concurrencyLimit: 3, waitLimitMs: 500 });
        const { set } = fixture;
        const sent: Sent[] = [];
        let limit = 3;
        for (const each of steps) {
          const before = set.seatsInUse;
          await take(fixture, sent, each);
          limit = set.concurrencyLimit;
          const alone = set.executingCount === 1;
          // Usage may exceed a limit that was just lowered.
          if (set.seatsInUse > Math.max(limit, before)) expect(alone).toBe(true);
          expect(inState(sent, 'waiting').length).toBe(set.waitingCount);
          expect(inState(sent, 'executing').length).toBe(set.executingCount);
          for (const { request, verdict } of sent) {
            if (request.state === 'waiting') expect(verdict).toBe('waiting');
            if (request.state === 'executing') expect(verdict).toBe('execute');
            if (request.state === 'ended') expect(verdict).not.toBe('waiting');
          }
        }
        await drain(fixture, sent);
        expect(new Set(fixture.started).size).toBe(fixture.started.length);
        expect(fixture.started.length + fixture.rejections.length).toBe(sent.length);
      }),
      { numRuns: 300 },
    );
  });

  it('leaves no seat free that a waiting request could use', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(3), fc.nat(30)), { maxLength: 60 }), async (moves) => {
        const fixture = createFixture({ concurrencyLimit: 2, waitLimitMs: 100_000 });
        const sent: Sent[] = [];
        for (const [flow, pick] of moves) {
          await take(
            fixture,
            sent,
            pick < 20 ? { do: 'send', flow, work: ONE_SEAT } : { do: 'finish', pick },
          );
          const { seatsInUse, waitingCount } = fixture.set;
          if (waitingCount > 0) expect(seatsInUse).toBe(2);
        }
      }),
      { numRuns: 200 },
    );
  });
});

/** Finishes all executing requests, and lets the waiting requests execute or time out. */
async function drain(fixture: QueueSetFixture, sent: readonly Sent[]): Promise<void> {
  const { set, clock } = fixture;
  for (let round = 0; round <= sent.length && !set.isIdle; round++) {
    for (const { request } of inState(sent, 'executing')) set.finish(request);
    await clock.advance(1_000);
  }
  await clock.advance(1_000);
  set.refresh();
  expect([set.isIdle, set.seatsInUse, clock.pending]).toEqual([true, 0, 0]);
}

describe('flows with unlimited demand', () => {
  it('get equal seat-seconds, whatever their requests cost', async () => {
    const fixture = createFixture({
      concurrencyLimit: 4,
      waitLimitMs: 1_000_000,
      queuing: { queues: 256, handSize: 1, queueLengthLimit: 1_000 },
    });
    const { set, clock } = fixture;
    const durations = [10, 20, 40, 80];
    const used = FLOWS.map(() => 0);
    const keepBusy = (index: number): void => {
      const flow = FLOWS[index] ?? flowOf('');
      const durationMs = durations[index] ?? 10;
      const run = (): void => {
        used[index] = (used[index] ?? 0) + durationMs;
        const { request } = sent;
        clock.setTimeout(() => {
          set.finish(request);
          keepBusy(index);
        }, durationMs);
      };
      const sent = fixture.send(flow);
      if (sent.verdict === 'execute') run();
      else sent.request.onOutcome = () => clock.setTimeout(run, 0);
    };
    for (const [index] of FLOWS.entries()) for (let times = 0; times < 8; times++) keepBusy(index);
    await clock.advance(60_000);
    const mean = used.reduce((sum, each) => sum + each, 0) / used.length;
    for (const each of used) expect(Math.abs(each - mean) / mean).toBeLessThan(0.05);
  });
});
