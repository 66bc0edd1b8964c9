import { describe, expect, it } from 'vitest';
import { configMaps, namespaces, pods, resourceQuotas, secrets } from '../../../api/groups/index.ts';
import type { ApiObject, Kind } from '../../../api/kinds/index.ts';
import { type Commit, resourceOf } from '../../invariants/invariant.ts';
import type { FaultName } from '../../world/fault-kinds.ts';
import { type Comparison, type StruckFault, compareRuns } from './compare.ts';
import { comparisonRules } from './rules.ts';

/** One change. The object before the change is that of the latest step with the same uid. */
interface Step {
  readonly atMs: number;
  readonly actor: string;
  readonly kind: Kind<never>;
  readonly object: ApiObject;
  readonly isGone?: true;
}

const named = (name: string, rest: object = {}, metadata: object = {}): ApiObject => ({
  ...rest,
  metadata: { name, namespace: 'team', uid: `uid of ${name}`, ...metadata },
});
const step = (atMs: number, actor: string, object: ApiObject, kind: Kind<never> = configMaps): Step => ({
  atMs,
  actor,
  kind,
  object,
});
const gone = (each: Step): Step => ({ ...each, isGone: true });

function historyOf(steps: readonly Step[]): readonly Commit[] {
  const objects = new Map<string, ApiObject>();
  return steps.map(({ atMs, actor, kind, object, isGone }, i) => {
    const { name = '', namespace = '', uid = '' } = object.metadata ?? {};
    const before = objects.get(uid);
    const after = isGone ? undefined : object;
    if (after === undefined) objects.delete(uid);
    else objects.set(uid, after);
    const verb = before === undefined ? 'create' : isGone ? 'delete' : 'update';
    return {
      step: i,
      atMs,
      actor,
      verb,
      resource: resourceOf(kind),
      namespace,
      name,
      uid,
      before,
      after,
    } as Commit;
  });
}

const compare = (
  calm: readonly Step[],
  faulty: readonly Step[],
  struck: readonly StruckFault[] = [],
): Comparison => compareRuns(historyOf(calm), historyOf(faulty), struck);
const found = (...of: Parameters<typeof compare>): readonly string[] =>
  compare(...of).differences.map(({ id }) => id);
const strike = (name: FaultName, atMs = 0): readonly StruckFault[] => [{ name, atMs }];

const wish = step(0, 'user', named('wish'));
const owned = (name: string, atMs = 0, metadata: object = {}): Step =>
  step(
    atMs,
    'job',
    named(
      name,
      {},
      { ownerReferences: [{ kind: 'ConfigMap', name: 'wish', uid: 'uid of wish' }], ...metadata },
    ),
    pods,
  );
const generated = (suffix: string, atMs = 0): Step =>
  owned(`worker-${suffix}`, atMs, { generateName: 'worker-' });
const written = (value: string, atMs: number, actor = 'job'): Step =>
  step(atMs, actor, named('wish', { data: value, status: { value } }));
/** A change by a user, long after all earlier changes. */
const edit = step(600_000, 'user', named('wish', { kept: true }));

describe('a comparison with the run without faults', () => {
  it('finds no difference between equal runs with other times, ids and generated names', () => {
    const calm = [wish, generated('bcdfg'), edit];
    expect(compare(calm, [wish, generated('xyz42', 70_000), edit], strike('pause'))).toMatchObject({
      differences: [],
      raced: 0,
      compared: { creations: 3, behind: 2, end: 1 },
    });
  });

  it.each([
    ['a twin', [wish, generated('bcdfg'), generated('hjklm')], 'end'],
    [
      'a twin that is deleted later',
      [wish, generated('bcdfg'), generated('hjklm'), gone(generated('hjklm'))],
      'creations',
    ],
    ['a lost creation', [wish], 'end'],
    [
      'a needless deletion',
      [wish, generated('bcdfg'), gone(generated('bcdfg')), generated('hjklm')],
      'creations',
    ],
    ['another state', [wish, generated('bcdfg'), written('b', 1)], 'end'],
  ])('finds %s', (_, faulty, id) => {
    expect(found([wish, generated('bcdfg')], faulty, strike('refused'))).toContain(id);
  });

  it('does not expect equal end states of an object whose selected Secrets a user changed in only one run', () => {
    const system = { namespace: 'system' };
    const token = (name: string): ApiObject => named(name, {}, system);
    const signed = (by: string): ApiObject => named('info', { data: { [`signed-${by}`]: '' } }, system);
    const calm = [
      step(0, 'user', token('a'), secrets),
      step(1, 'signer', signed('a')),
      gone(step(2, 'user', token('a'), secrets)),
      step(3, 'user', named('a', {}, { ...system, uid: 'second' }), secrets),
      step(4, 'signer', signed('a')),
    ];
    // The deleted Secret still exists, so the user's second creation is rejected.
    const faulty = [...calm.slice(0, 3), step(4, 'signer', signed('none'))];
    const compared = (selecting: readonly string[]) =>
      compareRuns(historyOf(calm), historyOf(faulty), strike('pause'), selecting).differences;
    expect(compared([])).not.toEqual([]);
    expect(compared(['system'])).toEqual([]);
  });

  it('finds a lost deletion', () => {
    const calm = [wish, owned('a'), gone(owned('a'))];
    expect(found(calm, [wish, owned('a')], strike('crash'))).toEqual(['end']);
  });

  it('finds an object that is deleted and recreated in between', () => {
    const again = named('a', {}, { uid: 'second' });
    const calm = [wish, owned('a')];
    const faulty = [
      wish,
      owned('a'),
      gone(owned('a')),
      { ...owned('a'), object: { ...owned('a').object, ...again } },
    ];
    expect(found(calm, faulty, strike('crash'))).not.toEqual([]);
  });

  it('finds repeated writes, but allows a different order of events', () => {
    const writes = (count: number): readonly Step[] =>
      Array.from({ length: count }, (_, i) => written(i === count - 1 ? 'done' : String(i), i));
    expect(found([wish, ...writes(2)], [wish, ...writes(8)], strike('refused'))).toEqual([]);
    expect(found([wish, ...writes(2)], [wish, ...writes(9)], strike('refused'))).toEqual(['writes']);
  });

  it('finds controllers that are still behind when a user acts long after the fault', () => {
    const calm = [wish, owned('a', 1), edit];
    expect(found(calm, [wish, edit, owned('a', 700_000)], strike('crash'))).toEqual(['behind']);
    expect(compare(calm, [wish, edit, owned('a', 700_000)], strike('crash', 590_000))).toMatchObject({
      differences: [],
      raced: 1,
    });
  });

  it('excuses a repetition only after a fault that may cause one', () => {
    const calm = [wish, generated('bcdfg')];
    const faulty = [wish, generated('bcdfg'), generated('hjklm'), gone(generated('hjklm'))];
    expect(found(calm, faulty, strike('zombie'))).toEqual([]);
    expect(found(calm, faulty, strike('lost-response'))).toEqual(['creations', 'deletions']);
  });

  it('excuses what an object did before a deadline that it exceeded in both runs', () => {
    const failed = (count: number, reason: string): Step =>
      step(9, 'job', named('wish', { status: { failed: count, conditions: [{ type: 'Failed', reason }] } }));
    const compared = (reason: string) =>
      compare([wish, failed(1, reason)], [wish, failed(0, reason)], strike('unanswered'));
    expect(compared('DeadlineExceeded')).toMatchObject({ differences: [], raced: 1 });
    expect(compared('BackoffLimitExceeded').differences).toMatchObject([{ id: 'end' }]);
  });

  it('does not compare runs with a wrong clock', () => {
    expect(compare([wish, owned('a')], [wish], strike('clock-back'))).toMatchObject({
      differences: [],
      compared: { end: 0 },
    });
  });

  it('excuses differences in one family without excusing the other families', () => {
    const other = step(0, 'user', named('other'));
    const touched = step(5, 'user', named('wish', { touched: true }));
    const calm = [wish, other, step(1, 'x', named('made'))];
    expect(compare(calm, [wish, other, touched], strike('touched'))).toMatchObject({
      differences: [{ id: 'end', broken: expect.stringContaining('team/made is absent') }],
      raced: 1,
    });
  });

  it('treats all objects in a deleted namespace as one family', () => {
    const team = step(0, 'user', named('team', {}, { namespace: '' }), namespaces);
    const calm = [team, wish, step(1, 'x', named('made')), gone({ ...team, atMs: 2 })];
    expect(compare(calm, [team, gone({ ...team, atMs: 1 }), wish], strike('crash'))).toMatchObject({
      differences: [],
      raced: 1,
    });
  });

  it('excuses a quota if an object in its namespace may differ', () => {
    const quota = (used: number): Step =>
      step(9, 'resourcequota', named('few', { status: { used } }), resourceQuotas);
    const touched = step(5, 'user', named('wish', { touched: true }));
    expect(found([wish, quota(1)], [wish, quota(2)], strike('refused'))).toEqual(['end']);
    expect(found([wish, quota(1)], [wish, touched, quota(2)], strike('touched'))).toEqual([]);
  });

  it('has a rule for each kind of difference', () => {
    const ids = Object.values(comparisonRules).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
