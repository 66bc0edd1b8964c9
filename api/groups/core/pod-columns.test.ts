import { describe, expect, it } from 'vitest';
import type { Pod } from '../../types/core-v1-pod.ts';
import { created, row } from '../fixture.ts';
import { pods } from '../core-v1.ts';
import { pod } from './pod.fixture.ts';

describe('the row of a Pod', () => {
  const running = { name: 'c', ready: true, restartCount: 0, state: { running: {} } };
  const rowOf = (status: object, metadata: object = {}) =>
    row(pods, { ...created(pods, pod()).object, status, metadata: { name: 'p', ...metadata } } as Pod);

  it('counts ready containers and restarts', () => {
    const restarted = {
      ...running,
      restartCount: 3,
      lastState: { terminated: { exitCode: 1, finishedAt: '2024-01-02T02:04:05Z' } },
    };
    expect(rowOf({ phase: 'Running', containerStatuses: [restarted] })).toMatchObject({
      Ready: '1/1',
      Status: 'Running',
      Restarts: '3 (60m ago)',
      IP: '<none>',
    });
  });

  it.each<[object, string]>([
    [{ phase: 'Pending' }, 'Pending'],
    [{ phase: 'Failed', reason: 'Evicted' }, 'Evicted'],
    [
      { phase: 'Running', containerStatuses: [{ state: { waiting: { reason: 'CrashLoopBackOff' } } }] },
      'CrashLoopBackOff',
    ],
    [{ phase: 'Failed', containerStatuses: [{ state: { terminated: { exitCode: 3 } } }] }, 'ExitCode:3'],
    [{ phase: 'Pending', initContainerStatuses: [{ state: { running: {} } }] }, 'Init:0/0'],
    [
      {
        phase: 'Running',
        containerStatuses: [running, { state: { terminated: { exitCode: 0, reason: 'Completed' } } }],
      },
      'NotReady',
    ],
  ])('shows for %j the status %s', (status, text) => {
    expect(rowOf(status)).toMatchObject({ Status: text });
  });

  it('shows Terminating while the pod is being deleted', () => {
    expect(rowOf({ phase: 'Running' }, { deletionTimestamp: '2024-01-02T03:04:05Z' })).toMatchObject({
      Status: 'Terminating',
    });
  });
});
