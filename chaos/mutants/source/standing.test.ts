import { describe, expect, it } from 'vitest';
import { describeSourceScore, renderSourceReport } from './describe-source.ts';
import { type SourceFate, sampleOf } from './hunt-source.ts';
import { matching } from './scope.ts';
import { riskiestFirst, scoreSource, standingOf } from './standing.ts';
import { fatesOf } from './unit-tests.ts';

type Verdicts = readonly [
  tests: NonNullable<SourceFate['tests']>['verdict'] | undefined,
  chaos: SourceFate['chaos']['verdict'],
];

const fate = ([tests, chaos]: Verdicts, mutant: Partial<SourceFate['mutant']> = {}): SourceFate => ({
  mutant: {
    id: 1,
    name: 'machines/job/plan.ts:1:1 negate-condition 1',
    file: 'machines/job/plan.ts',
    line: 1,
    operator: 'negate-condition',
    says: 'the condition of a branch is negated',
    risk: 2,
    original: 'a | b',
    mutated: '',
    ...mutant,
  },
  ...(tests && { tests: { verdict: tests, by: '', tests: 1 } }),
  chaos: { verdict: chaos, by: chaos === 'caught' ? 'job/no-surplus-pod' : '', where: 'seed 3', tried: 1 },
});

describe('the standing of a mutant', () => {
  it.each<[...Verdicts, ReturnType<typeof standingOf>]>([
    ['caught', 'caught', 'chaos'],
    [undefined, 'caught', 'chaos'],
    ['caught', 'survived', 'tests'],
    ['caught', 'same', 'tests'],
    ['passed', 'survived', 'survived'],
    [undefined, 'survived', 'survived'],
    ['passed', 'same', 'same'],
    ['passed', 'not reached', 'survived'],
    ['not reached', 'not reached', 'not reached'],
    [undefined, 'not reached', 'not reached'],
  ])('with tests %s and chaos %s is %s', (tests, chaos, expected) => {
    expect(standingOf(fate([tests, chaos]))).toBe(expected);
  });

  it('is counted, and counted separately if only chaos caught the mutant', () => {
    const fates = [fate(['caught', 'caught']), fate(['passed', 'caught']), fate(['caught', 'same'])];
    expect(scoreSource(fates)).toMatchObject({ chaos: 2, chaosAlone: 1, tests: 1, reachedByChaos: 3 });
  });

  it('orders survivors by the kind of mistake, then by the layer', () => {
    const order = [
      fate(['passed', 'survived'], { name: 'c', file: 'controllers/job/job.ts', risk: 2 }),
      fate(['passed', 'survived'], { name: 'r', file: 'runtime/queue/memory-queue.ts', risk: 2 }),
      fate(['passed', 'survived'], { name: 'k', file: 'controllers/job/job.ts', risk: 3 }),
    ].toSorted(riskiestFirst);
    expect(order.map(({ mutant }) => mutant.name)).toEqual(['k', 'r', 'c']);
  });
});

describe('a report of source mutants', () => {
  const report = {
    source: 'f00',
    population: 9,
    seeds: 4,
    fates: [fate(['passed', 'caught']), fate(['passed', 'survived']), fate(['passed', 'same'])],
  };

  it('counts no mutant that behaves like the original', () => {
    const { text, isClean } = describeSourceScore(report);
    expect(text).toContain('caught 1 of 2 mutants (50 %), 1 of them by chaos alone');
    expect(isClean).toBe(false);
  });

  it('lists judges and survivors, and escapes source in table cells', () => {
    const page = renderSourceReport(report, { command: 'orch', version: '1.0.0', date: '2026-11-28' });
    expect(page).toContain('| job/no-surplus-pod | 1 | 1 | 0 | 1 |');
    expect(page).toContain('| machines/job/plan.ts:1 | negate-condition | `a \\| b` | nothing | 1 | 1 |');
  });
});

describe('results of unit tests', () => {
  it('name the first test that failed, and count the tests that reached the mutant', () => {
    const lines = [
      { mutant: 1, test: 'a', isCaught: false },
      { mutant: 1, test: 'b', isCaught: false },
      { mutant: 1, test: 'b', isCaught: true },
      { mutant: 2, test: 'a', isCaught: false },
    ].map((line) => JSON.stringify(line));
    expect([...fatesOf([1, 2, 3], `${lines.join('\n')}\n`)]).toEqual([
      [1, { verdict: 'caught', by: 'b', tests: 2 }],
      [2, { verdict: 'passed', by: '', tests: 1 }],
      [3, { verdict: 'not reached', by: '', tests: 0 }],
    ]);
  });
});

describe('the selection of mutants', () => {
  it.each([
    ['**', 'machines/job/plan.ts', true],
    ['machines/**', 'machines/job/plan.ts', true],
    ['machines/**/plan.ts', 'machines/job/plan.ts', true],
    ['machines/*', 'machines/job/plan.ts', false],
    ['machines/*/plan.ts', 'machines/job/plan.ts', true],
    ['machines/*/plan.ts', 'machines/job/planXts', false],
  ])('with the pattern %s includes %s: %s', (glob, file, expected) => {
    expect(matching(glob)(file)).toBe(expected);
  });

  const stratumOf = (item: number): string => (item < 40 ? 'large' : 'small');

  it('draws the same sample for the same seed, without repetitions', () => {
    const all = Array.from({ length: 50 }, (_, i) => i);
    const drawn = sampleOf(all, { sample: 20, seed: 7 }, stratumOf);
    expect(sampleOf(all, { sample: 20, seed: 7 }, stratumOf)).toEqual(drawn);
    expect(new Set(drawn).size).toBe(20);
    expect(sampleOf(all, { sample: 20, seed: 8 }, stratumOf)).not.toEqual(drawn);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('gives every stratum its share for seed %i', (seed) => {
    const all = Array.from({ length: 50 }, (_, i) => i);
    const drawn = sampleOf(all, { sample: 10, seed }, stratumOf);
    expect(drawn).toHaveLength(10);
    expect(drawn.filter((item) => stratumOf(item) === 'small')).toHaveLength(2);
  });
});
