import { describe, expect, it } from 'vitest';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { type Bullmq, loadBullmq, requireOfBullmq } from './bullmq-scope.ts';
import type { Send } from './command.ts';
import { MemoryClient, type Unpack } from './memory-client.ts';
import { createMemoryRedis } from './memory-redis.ts';

type Connection = import('bullmq').ConnectionOptions;

const { unpack } = requireOfBullmq('msgpackr') as { readonly unpack: Unpack };

function worker(bullmq: Bullmq, clock = createSimulatedClock()) {
  const redis = createMemoryRedis(clock, createSeededRandom(1));
  const sent: string[] = [];
  const send: Send = async (command, signal) => {
    sent.push(command.name);
    return redis.execute(command, signal);
  };
  const connection = new MemoryClient({ send, prefix: 'p', unpack }) as unknown as Connection;
  const made = new bullmq.Worker('q', () => Promise.resolve(), { connection, autorun: false });
  const queue = new bullmq.Queue('q', { connection });
  return { made, queue, sent };
}

describe('BullMQ with an injected clock', () => {
  it('waits according to that clock', async () => {
    const clock = createSimulatedClock(0);
    const { made } = worker(loadBullmq(clock), clock);
    let waited = false;
    // BullMQ has the method `delay` for its tests.
    void (made as unknown as { delay(ms: number): Promise<void> })
      .delay(3_600_000)
      .then(() => (waited = true));
    await clock.advance(3_599_999);
    expect(waited).toBe(false);
    await clock.advance(1);
    expect(waited).toBe(true);
  });

  it('dates jobs by that clock, even after the clock is set', async () => {
    const clock = createSimulatedClock(1_000);
    const { queue } = worker(loadBullmq(clock), clock);
    expect((await queue.add('a', {})).timestamp).toBe(1_000);
    clock.jump(5_000);
    expect((await queue.add('b', {})).timestamp).toBe(6_000);
  });

  it('shares only modules that do not read the time', () => {
    const [first, second] = [createSimulatedClock(), createSimulatedClock()].map((clock) =>
      loadBullmq(clock),
    );
    expect(first?.WaitingError).toBe(second?.WaitingError);
    expect(first?.Worker).not.toBe(second?.Worker);
  });

  it('draws ids from the given source', () => {
    const ids = [1, 1, 2].map(
      (seed) => worker(loadBullmq(createSimulatedClock(), createSeededRandom(seed))).made.id,
    );
    expect(ids[0]).toBe(ids[1]);
    expect(ids[0]).not.toBe(ids[2]);
  });

  it('rejects random numbers and intervals without a source', async () => {
    const { queue, made } = worker(loadBullmq(createSimulatedClock()));
    await queue.add('a', {}, { attempts: 2, backoff: { type: 'fixed', delay: 1_000, jitter: 0.5 } });
    const job = await made.getNextJob('token');
    await expect(job?.moveToFailed(new Error('no'), 'token')).rejects.toMatchObject({
      code: 'ERR_NOT_SERVED',
    });
  });
});
