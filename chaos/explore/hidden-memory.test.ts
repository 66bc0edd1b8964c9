import { beforeEach, describe, expect, it } from 'vitest';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSystemClock } from '../../base/clock/system.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { exploreController, walkController } from './explore-controller.ts';
import { differenceOf } from './hidden-memory.ts';
import {
  type SeenKeys,
  forgetModuleMemory,
  hiddenMemories,
  remembering,
  unsavableMemory,
  visibleMemory,
} from './hidden-memory.fixture.ts';
import { subjectOf } from './scenarios/index.ts';

function searchOf(createSeen: () => SeenKeys) {
  const subject = subjectOf('tokencleaner', orchVocabulary, 1);
  if (!subject) throw new Error('no tokencleaner');
  const definition = remembering(subject.definition, createSeen);
  const bounds = { faults: 1, leaders: 1, lag: 1, maxStates: 20_000, clock: createSystemClock() };
  return { definition, scenario: subject.scenario, ...bounds };
}

const hidden = Object.entries(hiddenMemories).map(([kind, [create, place]]) => ({ kind, create, place }));

beforeEach(forgetModuleMemory);

describe('an exploration of a controller with memory', () => {
  it('passes if a Map of the factory holds the memory', async () => {
    expect(await exploreController(searchOf(visibleMemory))).toMatchObject({ verdict: 'pass' });
  });

  it.each(hidden)('is unknown and names the place if $kind holds the memory', async ({ create, place }) => {
    const found = await exploreController(searchOf(create));
    expect(found).toMatchObject({ verdict: 'unknown' });
    expect(found.verdict === 'unknown' && found.because).toMatch(place);
  });

  it('is unknown and names the Map if a value in memory is not plain JSON', async () => {
    const found = await exploreController(searchOf(unsavableMemory));
    expect(found).toMatchObject({
      verdict: 'unknown',
      because: expect.stringMatching(/not plain JSON.*hidden-memory\.fixture\.ts:\d+/) as string,
    });
  });
});

describe('random walks of a controller with memory', () => {
  it.each(hidden)('prove nothing and name the place if $kind holds the memory', async ({ create, place }) => {
    const random = createSeededRandom(1);
    const { because } = await walkController({ ...searchOf(create), walks: 50, longest: 30, random });
    expect(because).toMatch(place);
  });
});

describe('the difference between two results', () => {
  const signature = 'MEUCIQ'.repeat(20);
  it.each([
    ['ignores two signatures', { a: signature }, { a: `${signature}x` }, undefined],
    ['names the path of two texts', { a: { b: 'one' } }, { a: { b: 'two' } }, 'a.b'],
    ['names a missing field', [{ a: 1 }], [{}], '0.a'],
    ['distinguishes long texts of words', { a: 'so it is '.repeat(20) }, { a: 'so be it '.repeat(20) }, 'a'],
  ])('%s', (_, one, other, path) => {
    expect(differenceOf(one, other)).toBe(path);
  });
});
