import { describe, expect, it } from 'vitest';
import type { KeyState } from './controller-model.ts';
import { explain } from './explain.ts';
import type { ExplainedObject } from './reasons.ts';
import type { Reconcile } from './reconciles.ts';

const NOW = Date.UTC(2026, 0, 1);
const state = (more: Partial<KeyState>): KeyState => ({
  key: 'web',
  state: 'settled',
  sinceMs: NOW - 4_000,
  retries: 0,
  reconciles: 1,
  ...more,
});
const say = (
  more: Partial<KeyState>,
  object?: ExplainedObject | 'absent',
  reconciles: readonly Reconcile[] = [],
): string => explain({ key: 'web', state: state(more), reconciles, object, nowMs: NOW });

const failedReconcile: Reconcile = {
  reconcileId: 'c-1',
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

describe('explain', () => {
  it('does not call a stuck object settled', () => {
    const settled = { key: 'web', state: state({ outcome: 'settled' }), reconciles: [], nowMs: NOW };
    expect(explain(settled)).toContain('settled');
    expect(explain({ ...settled, isStuck: true })).toBe(
      'web is stuck. The controller can do nothing until that changes.',
    );
  });

  it('names state, failed request, error and next reconcile after a failure', () =>
    expect(
      say(
        { state: 'failed', outcome: 'failed', error: 'conflict', retries: 3, nextMs: NOW + 2_000 },
        undefined,
        [failedReconcile],
      ),
    ).toBe(
      'The last reconcile of web failed in issuing, where update widgets/status returned 409: conflict; next reconcile in 2.0 s (3 failures in a row).',
    ));

  it('states the reason and the time of a requeue', () => {
    const waits = {
      state: 'waiting',
      outcome: 'requeue',
      reason: 'next scheduled time (after 42000 ms)',
    } as const;
    expect(say({ ...waits, nextMs: NOW + 42_000 })).toBe(
      'web waits (next scheduled time); next reconcile in 42 s.',
    );
    expect(say({ ...waits, nextMs: NOW - 1 })).toContain('; due now');
  });

  it('states the state of a running reconcile and the time since the reconcile entered it', () =>
    expect(say({ reconcileId: 'c-2', state: 'creating' })).toBe('web has been in creating for 4.0 s.'));

  it('states that a key has no reconcile', () =>
    expect(explain({ key: 'web', reconciles: [], nowMs: NOW })).toBe('The journal has no reconcile of web.'));

  it('states that the object no longer exists', () =>
    expect(say({ outcome: 'settled' }, 'absent')).toBe('web is settled: the object no longer exists.'));

  const request = (status: ExplainedObject['status']): ExplainedObject => ({
    kind: 'CertificateSigningRequest',
    spec: { signerName: 'example.com/ours' },
    status: status ?? {},
  });
  it.each<readonly [string, ExplainedObject, string]>([
    ['an unapproved request', request({}), 'it is not approved yet'],
    ['a denied request', request({ conditions: [{ type: 'Denied', message: 'no' }] }), 'it was denied: no'],
    [
      'a request whose signing failed',
      request({ conditions: [{ type: 'Approved' }, { type: 'Failed', reason: 'Bad' }] }),
      'its signer refused it: Bad',
    ],
    [
      'an approved request without a certificate',
      request({ conditions: [{ type: 'Approved' }] }),
      'waits for the signer example.com/ours to issue its certificate',
    ],
    [
      'a signed request',
      request({ conditions: [{ type: 'Approved' }], certificate: 'x' }),
      'its certificate was issued',
    ],
    ['a suspended object', { spec: { suspend: true } }, 'it is suspended'],
    [
      'a deleted object with finalizers',
      { metadata: { deletionTimestamp: 'x', finalizers: ['a/b'] } },
      'it is being deleted and waits for a/b',
    ],
    [
      'an object with an unmet condition',
      { status: { conditions: [{ type: 'Ready', status: 'False', message: 'no node' }] } },
      'its condition Ready is False: no node',
    ],
    [
      'an object with a condition of a problem',
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
      'an owner in foreground deletion',
      { metadata: { deletionTimestamp: 'x', finalizers: ['foregroundDeletion'] } },
      'waits for the deletion of its dependents (foregroundDeletion)',
    ],
    [
      'a claim that a pod uses',
      { metadata: { deletionTimestamp: 'x', finalizers: ['orch.io/pvc-protection'] } },
      'waits until no pod uses it (orch.io/pvc-protection)',
    ],
    [
      'a running Job',
      { kind: 'Job', spec: { completions: 10 }, status: { active: 3, ready: 0, succeeded: 2, failed: 1 } },
      'it waits for its pods: 3 active (0 ready), 2 of 10 succeeded, 1 failed',
    ],
    [
      'a Job that failed',
      { kind: 'Job', status: { conditions: [{ type: 'Failed', status: 'True', message: 'Too slow.' }] } },
      'it has failed: Too slow.',
    ],
    [
      'a CronJob with a running Job',
      { kind: 'CronJob', status: { active: [{}], lastScheduleTime: '2026-01-01T00:00:00Z' } },
      'it was last scheduled at 2026-01-01T00:00:00Z and one of its Jobs is running',
    ],
    [
      'an exhausted quota',
      {
        kind: 'ResourceQuota',
        status: { hard: { pods: '3', secrets: '9' }, used: { pods: '3', secrets: '1' } },
      },
      'it is used up: pods 3 of 3.',
    ],
    ['a claim without a volume', { status: { phase: 'Pending' } }, 'its phase is Pending'],
  ])('explains %s from the object', (_, object, reason) =>
    expect(say({ outcome: 'settled' }, object)).toContain(reason),
  );
});
