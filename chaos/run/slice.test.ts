import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Commit } from '../invariants/invariant.ts';
import { describeDeviation, describeStrike } from './fault-text.ts';
import type { Failure } from './judge.ts';
import { sliceOf } from './slice.ts';
import type { StoryLine } from './story-line.ts';
import { describeCommit } from './story.ts';

const ACTORS = ['user', 'job', 'cronjob'];

const commits = fc.record({
  actor: fc.constantFrom(...ACTORS),
  verb: fc.constantFrom('create', 'update', 'delete'),
  name: fc.constantFrom('alpha', 'beta', 'gamma'),
  owner: fc.option(fc.constantFrom('alpha', 'beta')),
});
const events = fc.oneof(
  commits.map((commit) => ({ commit })),
  fc.record({ fault: fc.constantFrom('crash', 'conflict') }),
  fc.record({ key: fc.constantFrom('alpha', 'beta'), reconcile: fc.nat(3), hasFailed: fc.boolean() }),
);

const commitOf = (
  { actor, verb, name, owner }: typeof commits extends fc.Arbitrary<infer T> ? T : never,
  step: number,
) =>
  ({
    step,
    atMs: step,
    actor,
    verb,
    resource: 'batch/jobs',
    namespace: 'team',
    name,
    uid: `uid-${name}`,
    after: {
      metadata: {
        resourceVersion: String(step),
        ...(owner === null
          ? {}
          : { ownerReferences: [{ apiVersion: 'v1', kind: 'Job', name: owner, uid: `uid-${owner}` }] }),
      },
    },
  }) as Commit;

/** Arbitrary lines with the commits that some of them show. */
const stories = fc.array(events, { maxLength: 80 }).map((happened) => {
  const all: Commit[] = [];
  const lines = happened.map((event, step): StoryLine => {
    const when = { step, atMs: step };
    if ('fault' in event) return { ...when, lane: 'fault', text: `${event.fault} at line ${step}` };
    if ('key' in event) {
      const { key, hasFailed } = event;
      const course = { reconcile: `manager job-${event.reconcile}`, said: `state${step}`, hasFailed };
      return { ...when, lane: 'job', text: `team/${key} in state${step}`, course };
    }
    const commit = commitOf(event.commit, step);
    all.push(commit);
    return { ...when, lane: 'store', ...describeCommit(commit) };
  });
  return { lines, all };
});

const failureOf = (commit: Commit): Failure => ({
  id: 'job/example',
  says: 'an example',
  broken: `${commit.name} was changed`,
  step: commit.step,
  atMs: commit.atMs,
  commit,
});

describe('the slice of a story', () => {
  it('contains the violating change and every fault, and few other lines', () => {
    fc.assert(
      fc.property(stories, fc.nat(), ({ lines, all }, nth) => {
        const commit = all[nth % Math.max(1, all.length)];
        if (commit === undefined) return;
        const sliced = sliceOf(lines, failureOf(commit)).lines;
        const revisions = sliced.map(({ revision }) => revision);
        expect(revisions).toContain(commit.after?.metadata?.resourceVersion);
        const faults = lines.filter(({ lane }) => lane === 'fault');
        expect(sliced.filter(({ lane }) => lane === 'fault')).toEqual(faults);
        expect(sliced.length).toBeLessThanOrEqual(Math.max(12, faults.length + 1));
      }),
    );
  });

  it('shows only objects that the violation is about, and their owners', () => {
    fc.assert(
      fc.property(stories, fc.nat(), ({ lines, all }, nth) => {
        const commit = all[nth % Math.max(1, all.length)];
        if (commit === undefined) return;
        const owners = all
          .filter(({ uid }) => uid === commit.uid)
          .flatMap(({ after }) => after?.metadata?.ownerReferences ?? [])
          .map(({ uid }) => uid);
        // The owners of an owner are included if it is changed later.
        const grand = all
          .filter(({ uid }) => owners.includes(uid))
          .flatMap(({ after }) => after?.metadata?.ownerReferences ?? [])
          .map(({ uid }) => uid);
        for (const { object } of sliceOf(lines, failureOf(commit)).lines)
          if (object) expect([commit.uid, ...owners, ...grand]).toContain(object.uid);
      }),
    );
  });

  it('joins repeated changes and the states of one reconcile, and counts what it omits', () => {
    const update = (step: number) =>
      describeCommit(commitOf({ actor: 'job', verb: 'update', name: 'alpha', owner: null }, step));
    const lines: StoryLine[] = Array.from({ length: 40 }, (_, step) => ({
      step,
      atMs: step,
      lane: 'store',
      ...update(step),
    }));
    const missing: Failure = {
      id: 'job/example',
      says: 'an example',
      broken: 'alpha never finished',
      step: 40,
      atMs: 40,
    };
    expect(sliceOf(lines, missing)).toMatchObject({
      omitted: 0,
      lines: [
        {
          step: 39,
          text: 'job update batch/jobs team/alpha (uid uid-alph, revision 39), the last of 40 times',
        },
      ],
    });
    const steps = ['observing', 'deciding'].map((said, step): StoryLine => ({
      step,
      atMs: 0,
      lane: 'job',
      text: `team/alpha in ${said}`,
      course: { reconcile: 'job-1', said },
    }));
    expect(sliceOf([...lines, ...steps], missing).lines.map(({ text }) => text)).toContain(
      'team/alpha in observing → deciding',
    );
    const others = (['alpha', 'beta'] as const).flatMap((name) =>
      Array.from({ length: 20 }, (_, i) => ({ name, step: 2 * i })),
    );
    const alternating = others
      .toSorted((a, b) => a.step - b.step)
      .map(({ name }, step): StoryLine => ({
        step,
        atMs: step,
        lane: 'store',
        ...describeCommit(commitOf({ actor: 'job', verb: 'update', name, owner: null }, step)),
      }));
    const both = { ...missing, broken: 'alpha and beta never finished' };
    const { lines: few, omitted } = sliceOf(alternating, both);
    expect([few.length, omitted]).toEqual([12, 28]);
  });

  it('is the whole story if the run passes', () => {
    const lines: StoryLine[] = [{ step: 1, atMs: 1, lane: 'queue', text: 'job team/alpha' }];
    expect(sliceOf(lines, undefined)).toEqual({ lines, omitted: 0 });
  });
});

describe('a fault', () => {
  it.each([
    [
      'conflict',
      'job update jobs/status team/a',
      undefined,
      'conflict at job update jobs/status team/a: the write is answered with 409 and not carried out',
    ],
    [
      'refused',
      'job create pods team/',
      undefined,
      'refused at job create pods in team: the connection breaks before the request arrives',
    ],
    [
      'unanswered',
      'job create pods team/',
      'team/a-x1',
      'unanswered at job create pods team/a-x1: the request is carried out, but its response never arrives',
    ],
    [
      'cut-watch',
      'manager-1 jobs ADDED',
      undefined,
      'cut-watch at the watch of jobs by manager-1, event ADDED: the connection of the watch breaks before this event',
    ],
    ['crash', 'manager-1', undefined, 'crash at manager-1: the process crashes and is restarted'],
  ])('%s at "%s" is described by what it affects and does', (name, where, object, text) => {
    expect(describeStrike({ name, where }, object)).toBe(text);
  });

  it('is not described again among the other deviations', () => {
    const deviation = { at: 1, nth: 0, of: 8, took: 6 };
    expect(describeDeviation({ ...deviation, label: 'fault job update jobs team/a' })).toBeUndefined();
    expect(describeDeviation({ ...deviation, label: 'delay job update jobs team/a request' })).toBe(
      'job update jobs team/a request takes 250 ms',
    );
    expect(describeDeviation({ ...deviation, nth: 2, label: 'lasting manager-1 is down' })).toBe(
      'the duration of the fault at manager-1 is down (number 3) is 6 on a scale from 0 to 6',
    );
    expect(describeDeviation({ ...deviation, label: 'pick manager-1 key' })).toBe(
      'pick manager-1 key: option 7 of 8',
    );
  });
});
