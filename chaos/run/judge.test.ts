import { describe, expect, it } from 'vitest';
import { configMaps, secrets } from '../../api/groups/core-v1.ts';
import {
  type Commit,
  type Invariant,
  type ProcessEntry,
  invariant,
  resourceOf,
  verdict,
} from '../invariants/invariant.ts';
import { liveViewOf } from '../world/history.ts';
import { createJudge } from './judge.ts';

const live = liveViewOf(new Map(), () => 0);
const commitOf = (kind: Parameters<typeof resourceOf>[0], actor: string): Commit => ({
  step: 1,
  atMs: 0,
  actor,
  verb: 'create',
  resource: resourceOf(kind),
  namespace: 'team',
  name: 'a',
  uid: 'a',
});
const entryOf = (kind: 'enqueued' | 'state'): ProcessEntry => ({
  process: 'manager',
  atMs: 0,
  wallMs: 0,
  event: { kind, controller: 'example', key: 'team/a' },
});

const judgeOf = (limits: Pick<Invariant, 'resources' | 'entries'>) =>
  createJudge(
    [
      invariant({
        id: 'example/no-deletion',
        says: 'is evaluated',
        controller: 'example',
        kind: 'never',
        ...limits,
        initial: () => null,
        onCommit: (state) => verdict(state, false),
        onEntry: (state) => verdict(state, false),
      }),
    ],
    () => ({ step: 1, atMs: 0 }),
  );

describe('a judge', () => {
  it('evaluates an invariant on commits of its resources and on all commits of its controller', () => {
    const judge = judgeOf({ resources: [resourceOf(secrets)] });
    judge.onCommit(commitOf(secrets, 'user'), live);
    judge.onCommit(commitOf(configMaps, 'user'), live);
    judge.onCommit(commitOf(configMaps, 'example'), live);
    expect(judge.tallies()[0]?.checked).toBe(2);
  });

  it('passes only the entry kinds that an invariant handles', () => {
    const judge = judgeOf({ entries: ['enqueued'] });
    judge.onEntry(entryOf('enqueued'));
    judge.onEntry(entryOf('state'));
    judge.onEntry({ ...entryOf('state'), event: 'started' });
    expect(judge.tallies()[0]?.checked).toBe(1);
    expect(['enqueued', 'state'].map((kind) => judge.handles(kind as 'enqueued' | 'state'))).toEqual([
      true,
      false,
    ]);
  });

  it('passes all commits and entries to an invariant without limits', () => {
    const judge = judgeOf({});
    judge.onCommit(commitOf(configMaps, 'user'), live);
    judge.onEntry({ ...entryOf('state'), event: 'started' });
    expect(judge.tallies()[0]?.checked).toBe(2);
  });
});
