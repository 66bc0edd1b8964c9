import { describe, expect, it } from 'vitest';
import { configMaps } from '../../api/groups/core-v1.ts';
import { resourceQuotaInvariants } from '../controllers/resourcequota/invariants.ts';
import { judge, remember } from './history.fixture.ts';
import { all, histories, optional, optionalHistories } from './histories/every.fixture.ts';
import { makes, named } from './histories/objects.fixture.ts';

const of = (id: string) => all.find((each) => each.id === id);

describe('invariants', () => {
  describe.each(histories)('%s', (id, breaks, keeps, restMs) => {
    it('is violated by a history with the forbidden change', () =>
      expect(judge(of(id), breaks, restMs)).toEqual({ broken: expect.any(String), reached: true }));
    it('holds in a correct history that reaches its premise', () =>
      expect(judge(of(id), keeps, restMs)).toEqual({ broken: undefined, reached: true }));
  });

  it('have histories, except the two about certificate lifetimes, which other tests check', () => {
    const tested = histories.map(([id]) => id);
    // Invariants about observations inside a process have their histories in `oracles/runtime`.
    const judged = all.filter(({ onObservation }) => onObservation === undefined);
    expect(judged.map(({ id }) => id).filter((id) => !tested.includes(id))).toEqual([
      'csrsigning/no-longer-lifetime',
      'csrsigning/valid-from-signing',
    ]);
  });

  it('have the same state after a hot loop for any order of its writes', () => {
    const writes = ['x', 'y'].flatMap((actor) =>
      ['a', 'b', 'c'].map((name) => makes(actor, configMaps, named(name))),
    );
    const memories = [writes, writes.toReversed(), [...writes.slice(2), ...writes.slice(0, 2)]].map(
      (history) => JSON.stringify(remember(of('generic/no-hot-loop'), history).state),
    );
    expect(new Set(memories).size).toBe(1);
    expect(memories[0]).toContain('"actor":"y","uid":"c","count":1');
  });

  it('evaluate a quota only after its recount interval', () => {
    const [, miscounted = []] = histories.find(([id]) => id === 'resourcequota/correct-usage') ?? [];
    const isJudged = (countedAgainMs: number | undefined, restMs: number) =>
      judge(
        resourceQuotaInvariants(countedAgainMs).find(({ id }) => id === 'resourcequota/correct-usage'),
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
  it.each(optionalHistories)(
    'hold for the correct history and are violated by the wrong one: %s',
    (id, breaks, keeps, restMs) => {
      const found = optional.find((each) => each.id === id);
      expect(judge(found, breaks, restMs)).toEqual({ broken: expect.any(String), reached: true });
      expect(judge(found, keeps, restMs)).toMatchObject({ broken: undefined, reached: true });
      expect(all.map((each) => each.id)).not.toContain(id);
    },
  );
});
