import { describe, expect, it } from 'vitest';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { randomTape } from '../tape/tape.ts';
import { NO_ODDS, type Swarm, createFaults } from './faults.ts';

const swarm: Swarm = {
  faults: ['refused'],
  budget: Infinity,
  odds: { ...NO_ODDS, request: 0.05 },
  jitter: 0,
};
const ATTEMPTS = 2_000;

/** How many of as many requests of either controller were struck. */
function struck(given: Partial<Swarm>): Readonly<Record<'job' | 'namespace', number>> {
  const tape = randomTape(createSeededRandom(1));
  const faults = createFaults(tape, { ...swarm, ...given }, () => ({ step: 0, atMs: 0 }));
  for (let i = 0; i < ATTEMPTS; i++)
    for (const actor of ['job', 'namespace']) faults.strike('request', `${actor} get pods`);
  const of = (actor: string): number => faults.struck.filter(({ where }) => where.startsWith(actor)).length;
  return { job: of('job'), namespace: of('namespace') };
}

describe('faults of requests', () => {
  it('strike those of all controllers alike where they are after nobody', () => {
    for (const times of Object.values(struck({}))) {
      expect(times / ATTEMPTS).toBeGreaterThan(0.03);
      expect(times / ATTEMPTS).toBeLessThan(0.07);
    }
  });

  it('strike mostly those of the controller they are after, one of four', () => {
    const { job, namespace } = struck({ focus: 'job' });
    expect(job / ATTEMPTS).toBeGreaterThan(0.2);
    expect(job / ATTEMPTS).toBeLessThan(0.3);
    expect(namespace / ATTEMPTS).toBeLessThan(0.02);
  });

  it('strike no more often than there is budget for', () => {
    const { job, namespace } = struck({ focus: 'job', budget: 3 });
    expect(job + namespace).toBe(3);
  });
});
