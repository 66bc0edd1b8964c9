import { describe, expect, it } from 'vitest';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSystemClock } from '../../base/clock/system.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { type Mutation, withoutPreconditions } from '../mutants/operators.ts';
import { describeWalks } from './describe.ts';
import { walkController } from './explore-controller.ts';
import { listing } from './looking.fixture.ts';
import { subjectOf } from './scenarios/index.ts';

const BOUNDS = { controller: 'tokencleaner', objects: 1, faults: 0, lag: 1, leaders: 1 };

interface Walks {
  readonly mutate?: Mutation;
  readonly objects?: number;
  readonly apart?: boolean;
  readonly walks?: number;
  readonly seed?: number;
  readonly maxStates?: number;
}

async function walked({
  mutate = (definition) => definition,
  objects = BOUNDS.objects,
  apart = true,
  walks = 200,
  seed = 0,
  maxStates = 100_000,
}: Walks = {}) {
  const subject = subjectOf(BOUNDS.controller, orchVocabulary, objects);
  if (!subject) throw new Error('there is no such controller');
  const { ms: _, ...found } = await walkController({
    ...BOUNDS,
    definition: mutate(subject.definition),
    scenario: subject.scenario,
    apart,
    walks,
    longest: 40,
    maxStates,
    random: createSeededRandom(seed),
    clock: createSystemClock(),
  });
  return found;
}

describe('random walks through the states of an explorer', () => {
  it('find no violation in a correct controller, and are deterministic for each seed', async () => {
    const one = await walked();
    expect(one).toMatchObject({ walks: 200, broken: new Map() });
    expect(await walked()).toEqual(one);
    expect(await walked({ seed: 1 })).not.toEqual(one);
  });

  it('find a violation and return a trace to it', async () => {
    const found = await walked({ mutate: withoutPreconditions('uid', 'resourceVersion') });
    expect(found.broken.get('tokencleaner/no-early-deletion')).toBeGreaterThan(0);
    expect(found.nearest?.trace[0]?.label).toBe('at the start');
    expect(found.nearest?.trace.at(-1)?.label).toMatch(/delete secrets/);
    expect(describeWalks(BOUNDS, { ...found, ms: 1_000 })).toMatch(
      /^FAIL.*\ntokencleaner\/no-early-deletion: deleted token a before its expiry\n/,
    );
  });

  it('find the same violations after discarding the visited states', async () => {
    const mutate = withoutPreconditions('uid', 'resourceVersion');
    const { looked, ...found } = await walked({ mutate });
    const forgetful = await walked({ mutate, maxStates: 100 });
    expect(forgetful.looked).toBeGreaterThan(looked);
    expect([forgetful.broken, forgetful.steps]).toEqual([found.broken, found.steps]);
  });

  it('walk independent groups separately', async () => {
    const [apart, whole] = [
      await walked({ objects: 2, walks: 201 }),
      await walked({ objects: 2, walks: 201, apart: false }),
    ];
    expect(apart).toMatchObject({ walks: 201, groups: 2, broken: new Map() });
    expect(whole).toMatchObject({ walks: 201, groups: 1, broken: new Map() });
    expect(apart.looked).toBeLessThan(whole.looked);
    expect(describeWalks(BOUNDS, { ...apart, ms: 1_000 })).toMatch(
      /\n2 groups of objects, walked one by one: /,
    );
  });

  it('walk all objects together if a reconcile reads objects of other groups', async () => {
    const found = await walked({ objects: 2, mutate: listing });
    expect(found).toMatchObject({
      walks: 200,
      groups: 1,
      interplay: expect.stringMatching(/^a reconcile reads .*"list"/),
    });
    expect(describeWalks(BOUNDS, { ...found, ms: 1_000 })).toMatch(/\nwalked as a whole: a reconcile reads /);
  });
});
