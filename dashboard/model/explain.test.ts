import { describe, expect, it } from 'vitest';
import type { KeyState } from './controller-model.ts';
import { type ExplainedObject, explain } from './explain.ts';
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
const say = (more: Partial<KeyState>, object?: ExplainedObject, passes: readonly Pass[] = []): string =>
  explain({ key: 'web', state: state(more), passes, object, nowMs: NOW });

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
      'no controller here signs for example.com/ours',
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
  ])('of %s reads the object', (_, object, said) =>
    expect(say({ outcome: 'settled' }, object)).toContain(said),
  );
});
