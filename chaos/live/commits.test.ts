import { describe, expect, it } from 'vitest';
import { builtinKinds } from '../../api/groups/index.ts';
import type { ApiObject } from '../../api/kinds/kind.ts';
import { createScheme } from '../../api/kinds/scheme.ts';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { parseRequestInfo } from '../../apiserver/http/request/request-info.ts';
import { type Invariant, type ProcessEntry, invariant, verdict } from '../invariants/invariant.ts';
import type { CarriedWrite } from './carried.ts';
import type { StoredChange } from './changes.ts';
import { commitsOf } from './commits.ts';
import { judgeRecording } from './recording.ts';

const scheme = createScheme(orchVocabulary, builtinKinds);
const PATH = '/api/v1/namespaces/team/configmaps';

const object = (name: string, revision: number, more: object = {}): ApiObject => ({
  metadata: { name, namespace: 'team', uid: name, resourceVersion: String(revision), ...more },
});
const change = (type: StoredChange['type'], name: string, revision: number, more?: object): StoredChange => ({
  resource: '/configmaps',
  type,
  object: object(name, revision, more),
  revision,
  observedMs: revision * 10,
});
const write = (method: string, path: string, more: Partial<CarriedWrite> = {}): CarriedWrite => ({
  party: 'manager-1',
  actor: 'x',
  info: parseRequestInfo(method, path),
  body: undefined,
  sentMs: 0,
  endedMs: 1_000,
  status: 200,
  ...more,
});
const actors = (changes: readonly StoredChange[], writes: readonly CarriedWrite[]): readonly string[] =>
  commitsOf([], changes, writes, scheme).map(({ actor, verb, name }) => `${actor} ${verb} ${name}`);

describe('attribution of commits', () => {
  it('uses the version in the response', () => {
    const writes = [
      write('POST', PATH, { resourceVersion: '1', name: 'a', uid: 'a' }),
      write('PUT', `${PATH}/a`, { actor: 'y', resourceVersion: '3', uid: 'a' }),
    ];
    const changes = [change('ADDED', 'a', 1), change('MODIFIED', 'a', 2), change('MODIFIED', 'a', 3)];
    expect(actors(changes, writes)).toEqual(['x create a', 'apiserver update a', 'y update a']);
  });

  it('ignores a write whose response has a version that another write created', () => {
    const first = write('POST', PATH, { resourceVersion: '1', name: 'a', uid: 'a' });
    const idle = write('PUT', `${PATH}/a`, { actor: 'y', resourceVersion: '1', uid: 'a' });
    expect(actors([change('ADDED', 'a', 1)], [first, idle])).toEqual(['x create a']);
  });

  it('uses the object of a deletion, or the removal of the last finalizer', () => {
    const asked = write('DELETE', `${PATH}/a`, { resourceVersion: '2', uid: 'a' });
    const released = write('PUT', `${PATH}/a`, { actor: 'y', resourceVersion: '2', uid: 'a' });
    const changes = [
      change('ADDED', 'a', 1),
      change('MODIFIED', 'a', 2, { deletionTimestamp: 'now' }),
      change('DELETED', 'a', 3),
    ];
    expect(actors(changes, [asked, released]).slice(1)).toEqual(['x delete a', 'y update a']);
    expect(actors([change('DELETED', 'b', 4)], [write('DELETE', PATH)])).toEqual(['x delete b']);
  });

  it("uses the request's target if there was no response, and ignores rejected requests", () => {
    const { status: _, ...unanswered } = write('POST', PATH, { body: object('a', 0) });
    expect(actors([change('ADDED', 'a', 1)], [unanswered])).toEqual(['x create a']);
    const refused = write('POST', PATH, { body: object('a', 0), status: 409 });
    expect(actors([change('ADDED', 'a', 1)], [refused])).toEqual(['apiserver create a']);
  });

  it('does not attribute a version to the write that deleted the object, although its response carries it', () => {
    const { status: _, ...unanswered } = write('PATCH', `${PATH}/a`, { endedMs: 25 });
    const fenced = { metadata: { uid: 'a', resourceVersion: '2', finalizers: [] } };
    const last = { actor: 'y', resourceVersion: '2', uid: 'a', sentMs: 30 };
    const changes = [
      change('ADDED', 'a', 1),
      change('MODIFIED', 'a', 2, { deletionTimestamp: 'now' }),
      change('DELETED', 'a', 4),
    ];
    for (const body of [fenced, { metadata: { finalizers: [] } }]) {
      const released = write('PATCH', `${PATH}/a`, { ...last, body });
      expect(actors(changes, [unanswered, released]).slice(1)).toEqual(['x patch a', 'y patch a']);
    }
    // The deletion is observed late, but the request's preconditions identify its commit.
    const late = changes.map((each) => ({ ...each, observedMs: 40 }));
    const released = write('PATCH', `${PATH}/a`, { ...last, body: fenced });
    expect(actors(late, [unanswered, released]).slice(1)).toEqual(['x patch a', 'y patch a']);
  });

  it('orders commits by version, even if they are observed late', () => {
    const late = { ...change('ADDED', 'a', 1), observedMs: 90 };
    const commits = commitsOf([], [change('ADDED', 'b', 2), late, late], [], scheme);
    expect(commits.map(({ name, atMs }) => [name, atMs])).toEqual([
      ['a', 90],
      ['b', 90],
    ]);
  });
});

describe('a recording', () => {
  const noB: Invariant = {
    id: 'example/no-deletion',
    says: 'b is never created',
    controller: '*',
    kind: 'never',
    initial: () => null,
    onCommit: (state, { name }) =>
      name === 'b' ? { state, reached: true, broken: 'b was made' } : { state },
    atRest: (state) => ({ state, reached: true }),
  };
  const recording = {
    seed: 1,
    startMs: 0,
    restMs: 100,
    initial: [],
    writes: [],
    entries: [],
    strikes: [{ atMs: 15, name: 'crash', where: 'manager-1' }],
    flaws: [],
  };

  it('is evaluated commit by commit, and its report contains its faults', () => {
    const changes = [change('ADDED', 'a', 1), change('ADDED', 'b', 2)];
    const { result, story } = judgeRecording({ ...recording, changes }, [noB], scheme);
    expect(result).toMatchObject({
      verdict: 'FAIL',
      failure: { id: 'example/no-deletion', broken: 'b was made' },
    });
    expect(story.lines.map(({ lane, text }) => `${lane} ${text}`)).toEqual([
      'fault crash at manager-1: the process crashes and is restarted',
      'store apiserver create configmaps team/b (uid b, revision 2)',
    ]);
  });

  it('is reported with the states of reconciliations, and with processes if there are several', () => {
    const state = (process: string) => ({
      process,
      atMs: 5,
      wallMs: 5,
      event: {
        kind: 'state',
        controller: 'job',
        key: 'team/b',
        reconcileId: 'job-1',
        state: 'observing',
      } as const,
    });
    const changes = [change('ADDED', 'b', 2)];
    const firstLine = (entries: readonly ProcessEntry[]) =>
      judgeRecording({ ...recording, strikes: [], entries, changes }, [noB], scheme).story.lines[0];
    const course = { reconcile: 'manager-1 job-1', said: 'observing' };
    const line = { step: 1, atMs: 5, lane: 'job', text: 'team/b in observing', course };
    expect(firstLine([state('manager-1')])).toEqual(line);
    expect(firstLine([state('manager-1'), state('manager-2')])).toEqual({ ...line, process: 'manager-1' });
  });

  it('has one journal for each process across restarts, with true times', () => {
    const up = (key: string) => ({ kind: 'enqueued', controller: 'job', key }) as const;
    const entries: readonly ProcessEntry[] = [
      { process: 'manager-1', atMs: 1, wallMs: 1, event: 'started' },
      { process: 'manager-1', atMs: 5, wallMs: 7_200_005, event: up('a') },
      { process: 'manager-2', atMs: 6, wallMs: 6, event: up('b') },
      { process: 'manager-1', atMs: 7, wallMs: 7, event: 'started' },
      { process: 'manager-1', atMs: 8, wallMs: 8, event: up('c') },
    ];
    const { journals } = judgeRecording({ ...recording, entries, changes: [] }, [], scheme);
    expect(Object.fromEntries(journals)).toEqual({
      'manager-1': [
        { ...up('a'), seq: 1, atMs: 5 },
        { ...up('c'), seq: 2, atMs: 8 },
      ],
      'manager-2': [{ ...up('b'), seq: 1, atMs: 6 }],
    });
  });

  it("dates each commit by the API server's clock, including commits before the run", () => {
    const seen: number[] = [];
    const dated = invariant({
      id: 'example/no-change',
      says: 'time advances',
      controller: '*',
      kind: 'never',
      initial: () => null,
      onCommit(state, { atMs }, live) {
        seen.push(live.nowMs);
        return verdict(state, true, atMs === live.nowMs ? undefined : `it is ${live.nowMs} at ${atMs}`);
      },
    });
    const changes = [change('ADDED', 'a', 1), change('ADDED', 'b', 2)];
    const old = { ...recording, startMs: 15, changes };
    expect(judgeRecording(old, [dated], scheme).result.verdict).toBe('PASS');
    expect(seen).toEqual([10, 20]);
  });

  it('is UNKNOWN if it is incomplete', () => {
    const changes = [change('ADDED', 'a', 1)];
    const flaws = ['the history broke off'];
    expect(judgeRecording({ ...recording, changes, flaws }, [noB], scheme).result).toMatchObject({
      verdict: 'UNKNOWN',
      reason: 'the history broke off',
      tallies: [{ reached: 1 }],
    });
    expect(judgeRecording({ ...recording, changes }, [noB], scheme).result.verdict).toBe('PASS');
  });
});
