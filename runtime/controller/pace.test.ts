import { describe, expect, it } from 'vitest';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { requeue, settled } from '../../machines/pass/pass.ts';
import { type Turns, createPace } from './pace.ts';

const HOUR = 3_600_000;

function setUp() {
  const clock = createSimulatedClock();
  const pace = createPace(clock);
  const [punctual, other] = [pace.promises(), pace.turns()];
  const begun: string[] = [];
  const begin = (turns: Turns, key: string): void => {
    const turn = turns.take(key);
    if (turn === undefined) begun.push(key);
    else void turn.then(() => begun.push(key));
  };
  /** A pass that asks for its key in an hour, and a time later the next. */
  const comesUpLate = async (byMs: number): Promise<void> => {
    begin(punctual, 'cron');
    punctual.done('cron', requeue(HOUR, 'next time'));
    await clock.advance(HOUR + byMs);
    begin(punctual, 'cron');
    begun.length = 0;
  };
  return { clock, punctual, other, pace, begun, begin, comesUpLate };
}

describe('pace', () => {
  it('lets all begin while nothing is late', async () => {
    const { other, begun, begin, comesUpLate } = setUp();
    await comesUpLate(99);
    for (const key of ['a', 'b', 'c']) begin(other, key);
    expect(begun).toEqual(['a', 'b', 'c']);
  });

  it('gives each other controller one pass at a time while a key is late, in the order they came', async () => {
    const { clock, other, pace, begun, begin, comesUpLate } = setUp();
    await comesUpLate(100);
    for (const key of ['a', 'b', 'c']) begin(other, key);
    begin(pace.turns(), 'another');
    expect(begun).toEqual(['a', 'another']);
    other.done('a', settled());
    await clock.advance(0);
    expect(begun).toEqual(['a', 'another', 'b']);
  });

  it('never holds those that are punctual themselves', async () => {
    const { punctual, pace, begun, begin, comesUpLate } = setUp();
    await comesUpLate(HOUR);
    for (const key of ['a', 'b']) begin(punctual, key);
    for (const key of ['c', 'd']) begin(pace.promises(), key);
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
  });

  it('lets all go on a second after the last late key was taken', async () => {
    const { clock, punctual, other, begun, begin, comesUpLate } = setUp();
    await comesUpLate(HOUR);
    for (const key of ['a', 'b', 'c']) begin(other, key);
    await clock.advance(900);
    begin(punctual, 'cron');
    await clock.advance(900);
    expect(begun).toEqual(['a', 'cron']);
    await clock.advance(100);
    expect(begun).toEqual(['a', 'cron', 'b', 'c']);
  });

  it('takes no key for late that comes up by a change, before its time or without one', async () => {
    const { clock, punctual, other, begun, begin } = setUp();
    begin(punctual, 'cron');
    punctual.done('cron', requeue(HOUR, 'next time'));
    await clock.advance(HOUR / 2);
    begin(punctual, 'cron');
    punctual.done('cron', settled());
    await clock.advance(HOUR);
    begin(punctual, 'cron');
    for (const key of ['a', 'b']) begin(other, key);
    expect(begun).toEqual(['cron', 'cron', 'cron', 'a', 'b']);
  });

  it('holds nobody who is to stop', async () => {
    const { clock, other, begun, begin, comesUpLate } = setUp();
    await comesUpLate(HOUR);
    for (const key of ['a', 'b', 'c']) begin(other, key);
    other.release();
    await clock.advance(0);
    expect(begun).toEqual(['a', 'b', 'c']);
  });
});
