import { describe, expect, it } from 'vitest';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { randomTape } from '../tape/tape.ts';
import { faultsNamed } from './fault-kinds.ts';
import { NO_ODDS, type Swarm, createFaults } from './faults.ts';

const swarm: Swarm = {
  faults: ['refused'],
  budget: Infinity,
  odds: { ...NO_ODDS, request: 0.05 },
  jitter: 0,
};
const ATTEMPTS = 2_000;

/** Returns how many requests of each of two controllers get a fault, if both send equally many. */
function faultsIn(given: Partial<Swarm>): Readonly<Record<'job' | 'namespace', number>> {
  const tape = randomTape(createSeededRandom(1));
  const faults = createFaults(tape, { ...swarm, ...given }, () => ({ step: 0, atMs: 0 }));
  for (let i = 0; i < ATTEMPTS; i++)
    for (const actor of ['job', 'namespace']) faults.strike('request', `${actor} get pods`);
  const of = (actor: string): number => faults.struck.filter(({ where }) => where.startsWith(actor)).length;
  return { job: of('job'), namespace: of('namespace') };
}

describe('faultsNamed', () => {
  it.each([
    ['crash', ['crash']],
    ['F14', ['cut-watch', 'ended-watch', 'silent-watch', 'partition']],
    ['F1', ['crash-before', 'crash-after', 'crash']],
    ['F99', []],
  ])('returns for %s the faults %j', (text, names) => expect(faultsNamed(text)).toEqual(names));
});

describe('request faults', () => {
  it('affect all controllers equally without a focus', () => {
    for (const times of Object.values(faultsIn({}))) {
      expect(times / ATTEMPTS).toBeGreaterThan(0.03);
      expect(times / ATTEMPTS).toBeLessThan(0.07);
    }
  });

  it('mostly affect the focused controller, one request in four', () => {
    const { job, namespace } = faultsIn({ focus: 'job' });
    expect(job / ATTEMPTS).toBeGreaterThan(0.2);
    expect(job / ATTEMPTS).toBeLessThan(0.3);
    expect(namespace / ATTEMPTS).toBeLessThan(0.02);
  });

  it('never exceed the budget', () => {
    const { job, namespace } = faultsIn({ focus: 'job', budget: 3 });
    expect(job + namespace).toBe(3);
  });
});
