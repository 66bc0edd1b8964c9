import { describe, expect, it } from 'vitest';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { requeue, settled } from '../../machines/reconcile/reconcile.ts';
import { type Turns, createPace } from './pace.ts';

const HOUR = 3_600_000;

function setUp() {
  const clock = createSimulatedClock();
  const pace = createPace(clock);
  const [deadlineSensitive, other] = [pace.deadlineSensitive(), pace.yielding()];
  const begun: string[] = [];
  const begin = (turns: Turns, key: string): void => {
    const turn = turns.take(key);
    if (turn === undefined) begun.push(key);
    else void turn.then(() => begun.push(key));
  };
  /** Requeues a key for an hour later and starts its next reconcile `byMs` after the due time. */
  const reconcileLate = async (byMs: number): Promise<void> => {
    begin(deadlineSensitive, 'cron');
    deadlineSensitive.done('cron', requeue(HOUR, 'next time'));
    await clock.advance(HOUR + byMs);
    begin(deadlineSensitive, 'cron');
    begun.length = 0;
  };
  return { clock, deadlineSensitive, other, pace, begun, begin, reconcileLate };
}

describe('Pace', () => {
  it('lets all reconciles start while no key is late', async () => {
    const { other, begun, begin, reconcileLate } = setUp();
    await reconcileLate(99);
    for (const key of ['a', 'b', 'c']) begin(other, key);
    expect(begun).toEqual(['a', 'b', 'c']);
  });

  it('limits each other controller to one reconcile at a time while a key is late', async () => {
    const { clock, other, pace, begun, begin, reconcileLate } = setUp();
    await reconcileLate(100);
    for (const key of ['a', 'b', 'c']) begin(other, key);
    begin(pace.yielding(), 'another');
    expect(begun).toEqual(['a', 'another']);
    other.done('a', settled());
    await clock.advance(0);
    expect(begun).toEqual(['a', 'another', 'b']);
  });

  it('never delays deadline-sensitive controllers', async () => {
    const { deadlineSensitive, pace, begun, begin, reconcileLate } = setUp();
    await reconcileLate(HOUR);
    for (const key of ['a', 'b']) begin(deadlineSensitive, key);
    for (const key of ['c', 'd']) begin(pace.deadlineSensitive(), key);
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
  });

  it('ends the limit one second after the last late reconcile started', async () => {
    const { clock, deadlineSensitive, other, begun, begin, reconcileLate } = setUp();
    await reconcileLate(HOUR);
    for (const key of ['a', 'b', 'c']) begin(other, key);
    await clock.advance(900);
    begin(deadlineSensitive, 'cron');
    await clock.advance(900);
    expect(begun).toEqual(['a', 'cron']);
    await clock.advance(100);
    expect(begun).toEqual(['a', 'cron', 'b', 'c']);
  });

  it('treats a key as not late if a change enqueued it, before its due time or without one', async () => {
    const { clock, deadlineSensitive, other, begun, begin } = setUp();
    begin(deadlineSensitive, 'cron');
    deadlineSensitive.done('cron', requeue(HOUR, 'next time'));
    await clock.advance(HOUR / 2);
    begin(deadlineSensitive, 'cron');
    deadlineSensitive.done('cron', settled());
    await clock.advance(HOUR);
    begin(deadlineSensitive, 'cron');
    for (const key of ['a', 'b']) begin(other, key);
    expect(begun).toEqual(['cron', 'cron', 'cron', 'a', 'b']);
  });

  it('starts all waiting reconciles of a stopping controller', async () => {
    const { clock, other, begun, begin, reconcileLate } = setUp();
    await reconcileLate(HOUR);
    for (const key of ['a', 'b', 'c']) begin(other, key);
    other.release();
    await clock.advance(0);
    expect(begun).toEqual(['a', 'b', 'c']);
  });
});
