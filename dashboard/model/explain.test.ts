import { describe, expect, it } from 'vitest';
import type { KeyState } from './controller-model.ts';
import { explain } from './explain.ts';
import type { ExplainedObject } from './reasons.ts';
import type { Pass } from './passes.ts';

const NOW = Date.UTC(2026, 0, 1);
const state = (more: Partial<KeyState>): KeyState => ({
  key: 'web',
  state: 'settled',
  sinceMs: NOW - 4_000,
  retries: 0,
  passes: 1,
  ...more,
});
const say = (
  more: Partial<KeyState>,
  object?: ExplainedObject | 'gone',
  passes: readonly Pass[] = [],
): string => explain({ key: 'web', state: state(more), passes, object, nowMs: NOW });

const failedPass: Pass = {
  passId: 'c-1',
  startedMs: NOW - 100,
  retries: 1,
  outcome: 'failed',
  causes: [],
  steps: [
    {
      state: 'issuing',
      atMs: NOW,
      seq: 1,
      event: '',
      requests: [{ verb: 'update', resource: 'widgets/status', object: 'web', code: '409', ms: 1 }],
    },
    { state: 'failed', atMs: NOW, seq: 2, event: '', requests: [] },
  ],
};

describe('an explanation', () => {
  it('of a failure names the state, the refused request, the error and the next try', () =>
    expect(
      say(
        { state: 'failed', outcome: 'failed', error: 'conflict', retries: 3, nextMs: NOW + 2_000 },
        undefined,
        [failedPass],
      ),
    ).toBe(
      'The last pass over web failed in issuing, where update widgets/status was answered with 409: conflict; comes up again in 2.0 s (3 failures in a row).',
    ));

  it('of a requeue says what is waited for, and until when', () => {
    const waits = {
      state: 'waiting',
      outcome: 'requeue',
      reason: 'next scheduled time (after 42000 ms)',
    } as const;
    expect(say({ ...waits, nextMs: NOW + 42_000 })).toBe(
      'web waits (next scheduled time) and comes up again in 42 s.',
    );
    expect(say({ ...waits, nextMs: NOW - 1 })).toContain('is due now');
  });

  it('of a pass under way says where it is, and for how long', () =>
    expect(say({ passId: 'c-2', state: 'creating' })).toBe('web has been in creating for 4.0 s.'));

  it('of a key without a pass says so', () =>
    expect(explain({ key: 'web', passes: [], nowMs: NOW })).toBe('No pass over web is in the journal.'));

  it('of an object that is gone says so', () =>
    expect(say({ outcome: 'settled' }, 'gone')).toBe('web is settled: the object is not there any more.'));

  const request = (status: ExplainedObject['status']): ExplainedObject => ({
    kind: 'CertificateSigningRequest',
    spec: { signerName: 'example.com/ours' },
    status: status ?? {},
  });
  it.each<readonly [string, ExplainedObject, string]>([
    ['an unapproved request', request({}), 'nobody has approved it yet'],
    ['a denied one', request({ conditions: [{ type: 'Denied', message: 'no' }] }), 'it was denied: no'],
    [
      'one the signer refused',
      request({ conditions: [{ type: 'Approved' }, { type: 'Failed', reason: 'Bad' }] }),
      'its signer refused it: Bad',
    ],
    [
      'one nobody signs',
      request({ conditions: [{ type: 'Approved' }] }),
      'waits for the signer example.com/ours to issue its certificate',
    ],
    [
      'a signed one',
      request({ conditions: [{ type: 'Approved' }], certificate: 'x' }),
      'its certificate was issued',
    ],
    ['a suspended object', { spec: { suspend: true } }, 'it is suspended'],
    [
      'one with finalizers',
      { metadata: { deletionTimestamp: 'x', finalizers: ['a/b'] } },
      'it is being deleted and waits for a/b',
    ],
    [
      'one with an unmet condition',
      { status: { conditions: [{ type: 'Ready', status: 'False', message: 'no node' }] } },
      'its condition Ready is False: no node',
    ],
    [
      'one whose bad condition is met',
      {
        status: {
          conditions: [
            { type: 'NameFailure', status: 'False' },
            { type: 'DiskPressure', status: 'True' },
          ],
        },
      },
      'its condition DiskPressure is True',
    ],
    [
      'a namespace that is not empty',
      {
        kind: 'Namespace',
        metadata: { deletionTimestamp: 'x' },
        status: {
          conditions: [
            { type: 'NamespaceDeletionContentFailure', status: 'False', message: 'All content deleted' },
            {
              type: 'NamespaceContentRemaining',
              status: 'True',
              message: 'Some resources are remaining: pods. has 1',
            },
            {
              type: 'NamespaceFinalizersRemaining',
              status: 'True',
              message: 'Some content has finalizers: a/b',
            },
          ],
        },
      },
      'it is being deleted; some resources are remaining: pods. has 1; some content has finalizers: a/b.',
    ],
    [
      'one that waits for its dependents',
      { metadata: { deletionTimestamp: 'x', finalizers: ['foregroundDeletion'] } },
      'waits for its dependents to go (foregroundDeletion)',
    ],
    [
      'a claim that a pod uses',
      { metadata: { deletionTimestamp: 'x', finalizers: ['orch.io/pvc-protection'] } },
      'waits until no pod uses it (orch.io/pvc-protection)',
    ],
    [
      'a Job at work',
      { kind: 'Job', spec: { completions: 10 }, status: { active: 3, ready: 0, succeeded: 2, failed: 1 } },
      'it waits for its pods: 3 active (0 ready), 2 of 10 succeeded, 1 failed',
    ],
    [
      'a Job that failed',
      { kind: 'Job', status: { conditions: [{ type: 'Failed', status: 'True', message: 'Too slow.' }] } },
      'it has failed: Too slow.',
    ],
    [
      'a CronJob at work',
      { kind: 'CronJob', status: { active: [{}], lastScheduleTime: '2026-01-01T00:00:00Z' } },
      'it was last scheduled at 2026-01-01T00:00:00Z and one of its Jobs runs',
    ],
    [
      'a quota that is used up',
      {
        kind: 'ResourceQuota',
        status: { hard: { pods: '3', secrets: '9' }, used: { pods: '3', secrets: '1' } },
      },
      'it is used up: pods 3 of 3.',
    ],
    ['a claim without a volume', { status: { phase: 'Pending' } }, 'its phase is Pending'],
  ])('of %s reads the object', (_, object, said) =>
    expect(say({ outcome: 'settled' }, object)).toContain(said),
  );
});
