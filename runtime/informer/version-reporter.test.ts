import { describe, expect, it } from 'vitest';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { type Heard, createVersionReporter } from './version-reporter.ts';

function setUp() {
  const clock = createSimulatedClock();
  const reported: Heard[] = [];
  const reporter = createVersionReporter(clock, 1_000, (heard) => void reported.push(heard));
  return { clock, reported, reporter };
}

describe('version reporter', () => {
  it('passes the first on at once and then the newest once a stretch', async () => {
    const { clock, reported, reporter } = setUp();
    for (const version of ['1', '2', '3']) reporter.heard({ version, bookmark: version === '2' });
    expect(reported).toEqual([{ version: '1', bookmark: false }]);
    await clock.advance(1_000);
    expect(reported.slice(1)).toEqual([{ version: '3', bookmark: true }]);
    expect(clock.pending).toBe(0);
  });

  it('a flush passes on what waits, once', async () => {
    const { clock, reported, reporter } = setUp();
    reporter.heard({ version: '1', bookmark: false });
    reporter.heard({ version: '2', bookmark: false });
    reporter.flush();
    reporter.flush();
    await clock.advance(5_000);
    expect(reported.map(({ version }) => version)).toEqual(['1', '2']);
  });

  it('a cancel drops what waits and its timer', () => {
    const { clock, reported, reporter } = setUp();
    reporter.heard({ version: '1', bookmark: false });
    reporter.heard({ version: '2', bookmark: false });
    reporter.cancel();
    expect(reported.length).toBe(1);
    expect(clock.pending).toBe(0);
  });
});
