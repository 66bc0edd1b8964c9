import { describe, expect, it } from 'vitest';
import { ENDS, createPodEnds, endedPodStatus } from './pod-ends.ts';

const podOf = (controller: string, uid: string) => ({
  metadata: {
    uid,
    ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'a', uid: controller, controller: true }],
  },
});

describe('the ends of pods', () => {
  it('follow the annotation for consecutive pods of one controller, and repeat its last entry', () => {
    const ends = createPodEnds();
    const annotations = { [ENDS]: 'fails:137 vanishes succeeds:0' };
    const next = (controller: string, uid: string) => ends.next(podOf(controller, uid), annotations);
    expect(['1', '2', '3', '4'].map((uid) => next('job-1', uid))).toEqual([
      { how: 'fails', exitCode: 137 },
      { how: 'vanishes' },
      { how: 'succeeds', exitCode: 0 },
      { how: 'succeeds', exitCode: 0 },
    ]);
    expect(next('job-2', '5')).toEqual({ how: 'fails', exitCode: 137 });
  });

  it('are successful without an annotation', () => {
    expect(createPodEnds().next({ metadata: { uid: '1' } }, {})).toEqual({ how: 'succeeds' });
  });

  it('include a terminated container only if there is an exit code', () => {
    const time = '2026-01-01T00:00:00Z';
    expect(endedPodStatus({ how: 'fails' }, time)).toEqual({ phase: 'Failed' });
    expect(endedPodStatus({ how: 'succeeds', exitCode: 0 }, time)).toMatchObject({
      phase: 'Succeeded',
      containerStatuses: [{ state: { terminated: { exitCode: 0, finishedAt: time } } }],
    });
  });
});
