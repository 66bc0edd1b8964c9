import { describe, expect, it } from 'vitest';
import { ordinaryFaults } from '../world/fault-kinds.ts';
import { type Plan, seeded } from './swarm.ts';

const MINUTE = 60_000;

const planOf = (lastsMs: number): Plan => ({
  product: 'orch',
  selection: ['cronjob'],
  controllers: ['cronjob'],
  faults: ordinaryFaults,
  budget: 5,
  lastsMs,
});

describe.each([MINUTE, 90_500, 5 * MINUTE, 10 * MINUTE, 60 * MINUTE])('a run of %i ms', (lastsMs) => {
  const { scenario } = seeded(1, planOf(lastsMs));
  const endsMs = scenario.faultsMs + scenario.calmMs;

  it('lasts as long as requested, with a calm phase of at least 20 minutes', () => {
    expect(scenario.faultsMs).toBe(Math.round((lastsMs * 2) / 3));
    expect(scenario.calmMs).toBeGreaterThanOrEqual(20 * MINUTE);
    expect(endsMs).toBeGreaterThanOrEqual(lastsMs);
  });

  it('ends between two full minutes, when no schedule is due', () => {
    expect((scenario.startMs + endsMs) % MINUTE).toBe(30_000);
  });
});
