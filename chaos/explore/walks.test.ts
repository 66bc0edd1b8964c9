import { describe, expect, it } from 'vitest';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSystemClock } from '../../base/clock/system.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { type Mutation, withoutPreconditions } from '../mutants/operators.ts';
import { describeWalks } from './describe.ts';
import { walkController } from './explore-controller.ts';
import { subjectOf } from './scenarios/index.ts';

const BOUNDS = { controller: 'tokencleaner', objects: 1, faults: 0, lag: 1, leaders: 1 };

interface Walks {
  readonly mutate?: Mutation;
  readonly seed?: number;
  readonly maxStates?: number;
}

async function walked({ mutate = (definition) => definition, seed = 0, maxStates = 100_000 }: Walks = {}) {
  const subject = subjectOf(BOUNDS.controller, orchVocabulary, BOUNDS.objects);
  if (!subject) throw new Error('there is no such controller');
  const { ms: _, ...found } = await walkController({
    ...BOUNDS,
    definition: mutate(subject.definition),
    scenario: subject.scenario,
    walks: 200,
    longest: 40,
    maxStates,
    random: createSeededRandom(seed),
    clock: createSystemClock(),
  });
  return found;
}

describe('walks by chance through the states of an explorer', () => {
  it('of a controller that holds find nothing, the same way each time for the same seed', async () => {
    const one = await walked();
    expect(one).toMatchObject({ walks: 200, broken: new Map() });
    expect(await walked()).toEqual(one);
    expect(await walked({ seed: 1 })).not.toEqual(one);
  });

  it('find what is wrong, and tell a way from the start to it', async () => {
    const found = await walked({ mutate: withoutPreconditions('uid', 'resourceVersion') });
    expect(found.broken.get('tokencleaner/N2')).toBeGreaterThan(0);
    expect(found.nearest?.trace[0]?.label).toBe('at the start');
    expect(found.nearest?.trace.at(-1)?.label).toMatch(/delete secrets/);
    expect(describeWalks(BOUNDS, { ...found, ms: 1_000 })).toMatch(
      /^FAIL.*\ntokencleaner\/N2: deleted token a before its expiry\n/,
    );
  });

  it('find the same where they have forgotten what they saw', async () => {
    const mutate = withoutPreconditions('uid', 'resourceVersion');
    const { looked, ...found } = await walked({ mutate });
    const forgetful = await walked({ mutate, maxStates: 100 });
    expect(forgetful.looked).toBeGreaterThan(looked);
    expect([forgetful.broken, forgetful.steps]).toEqual([found.broken, found.steps]);
  });
});
