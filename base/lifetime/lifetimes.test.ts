import { describe, expect, it } from 'vitest';
import { createSimulatedClock } from '../clock/simulated.ts';
import { type Lifetime, Lifetimes } from './lifetimes.ts';

const recorded = (log: string[], name: string, changes: Partial<Lifetime> = {}): Lifetime => ({
  name,
  start: async () => void log.push(`start ${name}`),
  stop: async () => void log.push(`stop ${name}`),
  ...changes,
});

describe('lifetimes', () => {
  it('start in order and stop in reverse order', async () => {
    const log: string[] = [];
    const parts = new Lifetimes([recorded(log, 'a'), recorded(log, 'b')], { clock: createSimulatedClock() });
    await parts.start();
    expect(await parts.stop()).toEqual([]);
    expect(log).toEqual(['start a', 'start b', 'stop b', 'stop a']);
  });

  it('stop the components that were started, and throw the error, if a component fails to start', async () => {
    const log: string[] = [];
    const broken = recorded(log, 'b', { start: () => Promise.reject(new Error('no port')) });
    const parts = new Lifetimes([recorded(log, 'a'), broken, recorded(log, 'c')], {
      clock: createSimulatedClock(),
    });
    await expect(parts.start()).rejects.toThrow('no port');
    expect(log).toEqual(['start a', 'stop b', 'stop a']);
  });

  it('abandon a component that exceeds the grace period, and stop the others', async () => {
    const log: string[] = [];
    const clock = createSimulatedClock();
    const stuck = recorded(log, 'b', { stop: () => new Promise(() => {}) });
    const parts = new Lifetimes([recorded(log, 'a'), stuck], { clock, graceMs: 100 });
    await parts.start();
    const stopping = parts.stop();
    await clock.advance(100);
    expect(await stopping).toEqual(['b']);
    expect(log).toContain('stop a');
  });
});
