import { describe, expect, it } from 'vitest';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import type { ReflectorEvent } from '../../machines/informer/reflector.ts';
import { createStreamReport } from './stream-report.ts';

const eventAt = (version: string): ReflectorEvent => ({ type: 'stream.heard', version });
const silent: ReflectorEvent = { type: 'stream.silent' };
const ended: ReflectorEvent = { type: 'stream.ended', early: false };

function setUp(bookmarks = false) {
  const clock = createSimulatedClock();
  const sent: ReflectorEvent[] = [];
  const send = (event: ReflectorEvent): void => void sent.push(event);
  const report = createStreamReport({ clock, silenceMs: 1_000, quietServerMs: 10_000, bookmarks, send });
  return { clock, sent, report };
}

describe('createStreamReport', () => {
  it('sends the first event at once and the last version at the end', () => {
    const { clock, sent, report } = setUp();
    for (const version of ['1', '2', '3']) report.observed(version, false);
    expect(sent).toEqual([eventAt('1')]);
    report.end(ended);
    expect(sent).toEqual([eventAt('1'), eventAt('3'), ended]);
    expect(clock.pending).toBe(0);
  });

  it('sends nothing after `end` or `drop`', () => {
    const { clock, sent, report } = setUp();
    report.observed('1', false);
    report.observed('2', false);
    report.drop();
    report.end(ended);
    report.observed('3', false);
    expect(sent).toEqual([eventAt('1')]);
    expect(clock.pending).toBe(0);
  });

  it('ends a silent watch exactly at the idle timeout', async () => {
    const { clock, sent, report } = setUp();
    await clock.advance(9_000);
    report.observed('1', false);
    report.observed('2', false);
    await clock.advance(9_999);
    expect(sent).toEqual([eventAt('1')]);
    await clock.advance(1);
    expect(sent).toEqual([eventAt('1'), eventAt('2'), silent]);
    expect(clock.pending).toBe(0);
  });

  it('applies the shorter idle timeout after the first bookmark', async () => {
    const { clock, sent, report } = setUp();
    report.observed('1', true);
    await clock.advance(999);
    report.observed('2', false);
    await clock.advance(999);
    expect(sent).toEqual([eventAt('1')]);
    await clock.advance(1);
    expect(sent.at(-1)).toEqual(silent);
    const next = setUp(true);
    await next.clock.advance(1_000);
    expect(next.sent).toEqual([silent]);
  });
});
