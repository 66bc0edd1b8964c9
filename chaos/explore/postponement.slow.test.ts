import { describe, expect, it } from 'vitest';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSystemClock } from '../../base/clock/system.ts';
import { LONG } from '../../test/long.ts';
import { mutantsOf } from '../mutants/catalogue.ts';
import { exploreController } from './explore-controller.ts';
import { subjectOf } from './scenarios/index.ts';
import { createWitness } from './witness.fixture.ts';

interface Search {
  readonly controller: string;
  readonly faults: number;
  readonly leaders?: number;
  readonly lag?: number;
  /** True if the server checks conditions of writes on other objects. */
  readonly conditions?: boolean;
}

/** Explores a controller twice: with commuting steps postponed, and with all orders explored. */
async function searched(
  { controller, faults, leaders = 1, lag = 1, conditions = false }: Search,
  postpones: boolean,
  mutant = '',
) {
  const subject = subjectOf(controller, orchVocabulary, 1);
  if (!subject) throw new Error(`no controller ${controller}`);
  const { definition, scenario } = subject;
  const { witness, seen } = createWitness([...new Set(scenario.objects.map(({ resource }) => resource))]);
  const mutated = mutantsOf(definition)
    .find(({ name }) => name === mutant)
    ?.mutate(definition);
  const result = await exploreController({
    definition: mutated ?? definition,
    scenario: { ...scenario, invariants: [...scenario.invariants, witness] },
    faults,
    leaders,
    lag,
    conditions,
    postpones,
    maxStates: 1_000_000,
    clock: createSystemClock(),
  });
  return { result, seen };
}

const few: readonly Search[] = [
  { controller: 'tokencleaner', faults: 1, lag: 2 },
  { controller: 'tokencleaner', faults: 0, leaders: 2 },
  { controller: 'csrsigning', faults: 2 },
  { controller: 'garbagecollector', faults: 1 },
  { controller: 'serviceaccount', faults: 1 },
  { controller: 'serviceaccount-token/undisturbed', faults: 1 },
  { controller: 'pv-protection', faults: 1 },
  { controller: 'serviceaccount-token/undisturbed', faults: 0, leaders: 2 },
  { controller: 'cronjob/undisturbed', faults: 0, leaders: 2, conditions: true },
];
const many: readonly Search[] = [
  { controller: 'tokencleaner', faults: 2 },
  { controller: 'cronjob', faults: 0 },
  { controller: 'cronjob', faults: 1 },
  { controller: 'job', faults: 0 },
  { controller: 'namespace', faults: 1 },
  { controller: 'resourcequota', faults: 1 },
  { controller: 'legacy-service-account-token-cleaner', faults: 1 },
  { controller: 'serviceaccount-token', faults: 1 },
  { controller: 'serviceaccount-token', faults: 0, leaders: 2 },
  { controller: 'serviceaccount-token/undisturbed', faults: 1, leaders: 2 },
  { controller: 'cronjob/undisturbed', faults: 1, leaders: 2, conditions: true },
  { controller: 'cronjob/blocked', faults: 0, leaders: 2, conditions: true },
  { controller: 'garbagecollector', faults: 1, leaders: 2 },
];

describe('postponing steps that commute', () => {
  it.each(LONG ? [...few, ...many] : few)(
    'reaches the same commits and quiescent states of $controller in fewer states: %o',
    async (search) => {
      const [whole, reduced] = [await searched(search, false), await searched(search, true)];
      expect(reduced.result).toMatchObject({
        verdict: 'pass',
        ends: whole.result.ends,
        faultyEnds: whole.result.faultyEnds,
        vacuous: whole.result.vacuous,
      });
      expect([...reduced.seen].sort()).toEqual([...whole.seen].sort());
      expect(reduced.result.states).toBeLessThan(whole.result.states);
    },
    600_000,
  );

  it.each<Pick<Search, 'controller' | 'leaders'>>(
    LONG
      ? [
          ...['cronjob', 'job', 'tokencleaner', 'garbagecollector'].map((controller) => ({ controller })),
          { controller: 'tokencleaner', leaders: 2 },
          { controller: 'cronjob/undisturbed', leaders: 2 },
        ]
      : [{ controller: 'csrcleaner' }, { controller: 'serviceaccount-token/undisturbed', leaders: 2 }],
  )(
    'catches the same mutants of $controller as the full search: %o',
    async ({ controller, leaders = 1 }) => {
      const { definition } = subjectOf(controller, orchVocabulary, 1) ?? {};
      const names = definition ? mutantsOf(definition).map(({ name }) => name) : [];
      const fate = async (name: string, postpones: boolean) => {
        const { result } = await searched({ controller, leaders, faults: 0 }, postpones, name);
        return [name, result.verdict, result.verdict === 'fail' ? result.violation.invariant : result.ends];
      };
      const all = async (postpones: boolean) => {
        const fates = [];
        for (const name of names) fates.push(await fate(name, postpones));
        return fates;
      };
      expect(await all(true)).toEqual(await all(false));
    },
    3_600_000,
  );
});
