import { describe, expect, it } from 'vitest';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import type { ReflectorEvent } from '../../machines/informer/reflector.ts';
import { createStreamReport } from './stream-report.ts';

const heard = (version: string): ReflectorEvent => ({ type: 'stream.heard', version });
const silent: ReflectorEvent = { type: 'stream.silent' };
const ended: ReflectorEvent = { type: 'stream.ended', early: false };

function setUp(bookmarks = false) {
  const clock = createSimulatedClock();
  const sent: ReflectorEvent[] = [];
  const send = (event: ReflectorEvent): void => void sent.push(event);
  const report = createStreamReport({ clock, silenceMs: 1_000, quietServerMs: 10_000, bookmarks, send });
  return { clock, sent, report };
}

describe('the report of a watch', () => {
  it('says at once that the watch works, and where it stands when it ends', () => {
    const { clock, sent, report } = setUp();
    for (const version of ['1', '2', '3']) report.heard(version, false);
    expect(sent).toEqual([heard('1')]);
    report.end(ended);
    expect(sent).toEqual([heard('1'), heard('3'), ended]);
    expect(clock.pending).toBe(0);
  });

  it('says nothing after the end, or once it was dropped', () => {
    const { clock, sent, report } = setUp();
    report.heard('1', false);
    report.heard('2', false);
    report.drop();
    report.end(ended);
    report.heard('3', false);
    expect(sent).toEqual([heard('1')]);
    expect(clock.pending).toBe(0);
  });

  it('gives a silent watch up, at the moment it has been silent for too long', async () => {
    const { clock, sent, report } = setUp();
    await clock.advance(9_000);
    report.heard('1', false);
    report.heard('2', false);
    await clock.advance(9_999);
    expect(sent).toEqual([heard('1')]);
    await clock.advance(1);
    expect(sent).toEqual([heard('1'), heard('2'), silent]);
    expect(clock.pending).toBe(0);
  });

  it('trusts bookmarks to come once one came, and looks for silence sooner from then on', async () => {
    const { clock, sent, report } = setUp();
    report.heard('1', true);
    await clock.advance(999);
    report.heard('2', false);
    await clock.advance(999);
    expect(sent).toEqual([heard('1')]);
    await clock.advance(1);
    expect(sent.at(-1)).toEqual(silent);
    const next = setUp(true);
    await next.clock.advance(1_000);
    expect(next.sent).toEqual([silent]);
  });
});
