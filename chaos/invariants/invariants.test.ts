import { describe, expect, it } from 'vitest';
import { configMaps } from '../../api/groups/core-v1.ts';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { twins } from '../controllers/index.ts';
import { judge, remember } from './history.fixture.ts';
import { apiserverHistories } from './histories/apiserver.fixture.ts';
import { rotatedSigner } from '../controllers/csrsigning/histories.fixture.ts';
import { genericHistories } from './histories/generic.fixture.ts';
import { leaderElectionHistories } from './histories/leaderelection.fixture.ts';
import { passHistories } from './histories/passes.fixture.ts';
import {
  duplicatedTokenHistories,
  generatedTokenHistories,
  rotatedTokenHistories,
} from '../controllers/serviceaccount-token/histories.fixture.ts';
import { type History, makes, named } from './histories/objects.fixture.ts';
import { allInvariants } from './index.ts';
import { csrRotationInvariants } from '../controllers/csrsigning/invariants.ts';
import { resourceQuotaInvariants } from '../controllers/resourcequota/invariants.ts';
import { serviceAccountTokenInvariants } from '../controllers/serviceaccount-token/invariants.ts';

const all = allInvariants(orchVocabulary, {
  namespaced: ['/configmaps', '/secrets', '/serviceaccounts', 'batch/jobs', 'batch/cronjobs'],
  cluster: ['/namespaces'],
});
const of = (id: string) => all.find((each) => each.id === id);

/** Histories of each controller, by name. */
const byController = new Map(
  await Promise.all(
    twins.map(async ({ name }): Promise<[string, readonly History[]]> => {
      const fixture = (await import(`../controllers/${name}/histories.fixture.ts`)) as {
        readonly histories: readonly History[];
      };
      return [name, fixture.histories];
    }),
  ),
);

const histories: readonly History[] = [
  ...genericHistories,
  ...passHistories,
  ...leaderElectionHistories,
  ...apiserverHistories,
  ...[...byController.values()].flat(),
];

describe('invariants', () => {
  describe.each(histories)('%s', (id, breaks, keeps, restMs) => {
    it('is violated by a history with the forbidden change', () =>
      expect(judge(of(id), breaks, restMs)).toEqual({ broken: expect.any(String), reached: true }));
    it('holds in a correct history', () => expect(judge(of(id), keeps, restMs).broken).toBeUndefined());
  });

  it('all have a history, except the two about certificate lifetimes, which other tests cover', () => {
    const tested = histories.map(([id]) => id);
    // Invariants about the inside of a process have their histories in `oracles/runtime`.
    const judged = all.filter(({ onObservation }) => onObservation === undefined);
    expect(judged.map(({ id }) => id).filter((id) => !tested.includes(id))).toEqual([
      'csrsigning/N5',
      'csrsigning/N8',
    ]);
  });

  it('have the same state for a hot loop, whatever the order of writes', () => {
    const writes = ['x', 'y'].flatMap((actor) =>
      ['a', 'b', 'c'].map((name) => makes(actor, configMaps, named(name))),
    );
    const memories = [writes, writes.toReversed(), [...writes.slice(2), ...writes.slice(0, 2)]].map(
      (history) => JSON.stringify(remember(of('generic/G3-loop'), history).state),
    );
    expect(new Set(memories).size).toBe(1);
    expect(memories[0]).toContain('"actor":"y","uid":"c","count":1');
  });

  it('judge a quota only after its recount interval', () => {
    const [, miscounted = []] = histories.find(([id]) => id === 'resourcequota/E1') ?? [];
    const isJudged = (countedAgainMs: number | undefined, restMs: number) =>
      judge(
        resourceQuotaInvariants(countedAgainMs).find(({ id }) => id === 'resourcequota/E1'),
        miscounted,
        restMs,
      ).reached;
    expect([29_999, 30_000].map((restMs) => isJudged(30_000, restMs))).toEqual([false, true]);
    expect([359_999, 360_000].map((restMs) => isJudged(undefined, restMs))).toEqual([false, true]);
  });

  it('have unique ids and descriptions', () => {
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(all.every(({ says }) => says.length > 0)).toBe(true);
  });
});

describe('invariants with optional settings', () => {
  const some = [
    ...serviceAccountTokenInvariants(orchVocabulary, {
      areGenerated: true,
      areDuplicated: true,
      rootCa: 'ca',
    }),
    ...csrRotationInvariants(rotatedSigner.authorityPem),
  ];

  it.each([
    ...generatedTokenHistories,
    ...duplicatedTokenHistories,
    ...rotatedTokenHistories,
    ...rotatedSigner.histories,
  ])('hold and are violated as expected: %s', (id, breaks, keeps, restMs) => {
    const found = some.find((each) => each.id === id);
    expect(judge(found, breaks, restMs)).toEqual({ broken: expect.any(String), reached: true });
    expect(judge(found, keeps, restMs)).toMatchObject({ broken: undefined, reached: true });
    expect(all.map((each) => each.id)).not.toContain(id);
  });
});
