import { describe, expect, it } from 'vitest';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { createDraw } from './draw.ts';
import { ABSENT } from './fields.ts';
import { lifeOf } from './life.ts';
import { HOUR, type Making } from './parts.ts';
import { type MoveName, type Script, type Subject, usualMoves } from './subject.ts';

const makingOf = (seed: number): Making => {
  const random = createSeededRandom(seed);
  const settings = { vocabulary: orchVocabulary, startMs: Date.UTC(2026, 0, 1), untilMs: HOUR, endsMs: HOUR };
  return { ...settings, random, draw: createDraw(random, {}) };
};

const job: Subject = {
  resource: 'batch/jobs',
  namespace: 'team',
  name: 'a',
  base: { spec: { parallelism: 1 } },
  fields: { 'spec.suspend': [ABSENT, true, false] },
  otherOwners: [[{ resource: '/configmaps', name: 'owner' }]],
};

/** Returns the actions of 40 seeds in which users make moves of one kind. */
const livesOf = (move: MoveName, script: Script = { bornMs: 0, held: false }) =>
  Array.from({ length: 40 }, (_, seed) =>
    lifeOf(makingOf(seed), { ...job, moves: [move], moveCounts: [1] }, script),
  );

const verbsOf = (move: MoveName): ReadonlySet<string> =>
  new Set(livesOf(move).map((life) => life.map(({ verb }) => verb).join(' ')));

describe('the life of an object', () => {
  it.each<[MoveName, string]>([
    ['edit', 'create patch'],
    ['undo', 'create patch patch'],
    ['change-mind', 'create patch patch'],
    ['touch', 'create patch'],
    ['delete', 'create delete'],
    ['replace', 'create delete create'],
    ['withdraw', 'create delete create delete'],
    ['adopt', 'create patch'],
    ['orphan', 'create patch'],
  ])('with the move %s has the requests: %s', (move, verbs) => {
    expect(verbsOf(move)).toEqual(new Set([verbs]));
  });

  it('returns to the first value of an undone field', () => {
    for (const [created, , undone] of livesOf('undo')) {
      const first = created?.object as { readonly spec: { readonly suspend?: boolean } };
      expect(undone?.patch).toEqual({ spec: { suspend: first.spec.suspend ?? null } });
    }
  });

  it('holds a changed field over a time at which a controller acts', () => {
    const due = { ...job, oftenEdited: ['spec.suspend'], nextDueMs: (afterMs: number) => afterMs + HOUR };
    for (let seed = 0; seed < 40; seed++) {
      const subject: Subject = { ...due, moves: ['hold'], moveCounts: [1] };
      const [created, edited, back] = lifeOf(makingOf(seed), subject, { bornMs: 0, held: false });
      const first = created?.object as { readonly spec: { readonly suspend?: boolean } };
      expect(back?.patch).toEqual({ spec: { suspend: first.spec.suspend ?? null } });
      expect((back?.atMs ?? 0) - (edited?.atMs ?? 0)).toBeGreaterThan(HOUR + 65_000);
    }
  });

  it('edits a field to a value other than its current one', () => {
    for (const [created, edited] of livesOf('edit')) {
      const first = created?.object as { readonly spec: { readonly suspend?: boolean } };
      expect(edited?.patch).not.toEqual({ spec: { suspend: first.spec.suspend ?? null } });
    }
  });

  it('has actions in the order of time', () => {
    for (const move of usualMoves)
      for (const life of livesOf(move)) {
        const times = life.map(({ atMs }) => atMs);
        expect(times).toEqual(times.toSorted((a, b) => a - b));
      }
  });

  it('deletes under every propagation policy', () => {
    const policies = livesOf('delete').map((life) => life.at(-1)?.propagation);
    expect(new Set(policies)).toEqual(new Set(['Background', 'Foreground', 'Orphan']));
  });

  it('releases a foreign finalizer after every deletion and at the end', () => {
    for (const life of livesOf('withdraw', { bornMs: 0, held: true })) {
      const sorted = life.toSorted((a, b) => a.atMs - b.atMs);
      expect(life.filter(({ withoutFinalizer }) => withoutFinalizer !== undefined)).toHaveLength(3);
      expect(sorted.at(-1)).toMatchObject({ verb: 'patch', withoutFinalizer: 'example.com/kept' });
      for (const { object } of life.filter(({ verb }) => verb === 'create'))
        expect(object).toMatchObject({ metadata: { finalizers: ['example.com/kept'] } });
    }
  });

  it('has exactly the steps of its script', () => {
    const steps = [{ step: 'delete', atMs: 5, propagation: 'Orphan' }] as const;
    const life = lifeOf(makingOf(1), job, { bornMs: 2, fields: { 'spec.suspend': true }, steps });
    expect(life).toEqual([
      {
        atMs: 2,
        verb: 'create',
        resource: 'batch/jobs',
        namespace: 'team',
        name: 'a',
        object: { spec: { parallelism: 1, suspend: true } },
      },
      {
        atMs: 5,
        verb: 'delete',
        resource: 'batch/jobs',
        namespace: 'team',
        name: 'a',
        propagation: 'Orphan',
      },
    ]);
  });

  it('does not create an object that a controller creates', () => {
    const [first] = lifeOf(makingOf(1), { ...job, isMaintained: true, moves: ['delete'], moveCounts: [1] });
    expect(first?.verb).toBe('delete');
  });
});
