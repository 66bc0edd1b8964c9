import { describe, expect, it } from 'vitest';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { randomTape } from '../tape/tape.ts';
import { faultsNamed } from './fault-kinds.ts';
import { type FaultPlace, NO_ODDS, type Swarm, createFaults } from './faults.ts';

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

  it('mostly affect the focused controller, one request in seven', () => {
    const { job, namespace } = faultsIn({ focus: 'job' });
    expect(job / ATTEMPTS).toBeGreaterThan(0.12);
    expect(job / ATTEMPTS).toBeLessThan(0.18);
    expect(namespace / ATTEMPTS).toBeLessThan(0.03);
  });

  it('are counted apart for reads and writes, so that reads leave enough to writes', () => {
    const faults = createFaults(
      randomTape(createSeededRandom(1)),
      { ...swarm, budget: 2, odds: { ...NO_ODDS, request: 1 } },
      () => ({ step: 0, atMs: 0 }),
    );
    const strike = (place: FaultPlace): unknown => faults.strike('request', 'job', undefined, place);
    for (let i = 0; i < 100; i++) strike({ weight: 1, budget: 'reads' });
    expect(faults.struck).toHaveLength(2);
    for (let i = 0; i < 100; i++) strike({ weight: 1, budget: 'writes' });
    expect(faults.struck).toHaveLength(4);
  });

  it.each([0.2, 4])('are as likely at a place of weight %d as that weight says', (weight) => {
    const faults = createFaults(randomTape(createSeededRandom(1)), swarm, () => ({ step: 0, atMs: 0 }));
    for (let i = 0; i < ATTEMPTS; i++)
      faults.strike('request', 'job', undefined, { weight, budget: 'writes' });
    expect(faults.struck.length / ATTEMPTS / weight).toBeGreaterThan(0.03);
    expect(faults.struck.length / ATTEMPTS / weight).toBeLessThan(0.075);
  });

  it('never exceed the budget', () => {
    const { job, namespace } = faultsIn({ focus: 'job', budget: 3 });
    expect(job + namespace).toBe(3);
  });
});

describe('watches', () => {
  const lags = (lag: number): readonly number[] => {
    const faults = createFaults(randomTape(createSeededRandom(1)), { ...swarm, lag }, () => ({
      step: 0,
      atMs: 0,
    }));
    return Array.from({ length: ATTEMPTS }, () => faults.lag('manager pods'));
  };

  it('lag by different times of at most a second, as often as the swarm says', () => {
    const late = lags(0.5).filter((ms) => ms > 0);
    expect(late.length / ATTEMPTS).toBeGreaterThan(0.45);
    expect(late.length / ATTEMPTS).toBeLessThan(0.55);
    expect(new Set(late)).toEqual(new Set([60, 250, 1_000]));
  });

  it('do not lag without a probability', () => expect(new Set(lags(0))).toEqual(new Set([0])));
});
