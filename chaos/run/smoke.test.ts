import { describe, expect, it } from 'vitest';
import type { FaultName } from '../world/fault-kinds.ts';
import { ordinaryFaults } from '../world/fault-kinds.ts';
import { runSeed, summarize } from './campaign.ts';
import { loadSubject } from './subject.ts';
import type { Plan } from './swarm.ts';

const MINUTE = 60_000;
const CLOCKS: readonly FaultName[] = ['clock-forward', 'clock-back'];

interface Smoke {
  readonly about: string;
  readonly controllers: readonly string[];
  readonly faults: readonly FaultName[];
  readonly minutes: number;
  readonly seeds: readonly number[];
}

/** Seeds with wrong clocks, and seeds with correct clocks. */
const smokes: readonly Smoke[] = [
  {
    about: 'expiring objects are deleted on time under wrong clocks, and signatures are stable',
    controllers: ['tokencleaner', 'csrcleaner', 'bootstrapsigner', 'ttlafterfinished'],
    faults: ordinaryFaults,
    minutes: 40,
    seeds: [9, 13, 14, 26, 28],
  },
  {
    about: "Jobs are created when due by the API server's clock",
    controllers: ['cronjob'],
    faults: [...CLOCKS, 'early-key', 'conflict', 'crash-after'],
    minutes: 20,
    seeds: [1, 3, 14, 17, 28],
  },
];

describe('selected seeds of the simulated world', () => {
  it.each(smokes)('pass: $about', async ({ controllers, faults, minutes, seeds }) => {
    const subject = await loadSubject('orch', controllers);
    const plan: Plan = {
      product: 'orch',
      selection: controllers,
      controllers: subject.controllers,
      faults,
      budget: 5,
      lastsMs: minutes * MINUTE,
    };
    const results = [];
    for (const seed of seeds) results.push(await runSeed(seed, { plan, subject, verify: false }));
    const report = summarize(results, plan);
    expect(report.failures.map(({ seed, trace }) => [seed, trace?.expected])).toEqual([]);
    expect(report.unknown.map(({ seed, reason }) => [seed, reason])).toEqual([]);
    const struck = report.faults
      .filter(({ name }) => CLOCKS.some((clock) => clock === name))
      .map((fault) => fault.struck);
    expect(Math.max(...struck)).toBeGreaterThan(0);
  });
});
