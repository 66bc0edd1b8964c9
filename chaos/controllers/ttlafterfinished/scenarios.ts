import { jobs } from '../../../api/groups/batch-v1.ts';
import type { Job } from '../../../api/types/batch-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { toTime } from '../../../base/clock/index.ts';
import { ttlAfterFinishedInvariants } from './invariants.ts';
import { creates, deletes, oneByOne, planted, updates } from '../../explore/actions.ts';
import { MINUTE, NOON } from '../../explore/instants.ts';
import type { Scenario } from '../../explore/scenario.ts';

/** Returns a workload: finished Jobs, one of which gets a longer TTL and is deleted and recreated. */
export function ttlAfterFinishedScenario(vocabulary: Vocabulary, objects: number): Scenario {
  const job = (name: string, endedMs?: number): Job => ({
    kind: 'Job',
    apiVersion: vocabulary.apiVersion('batch', 'v1'),
    metadata: { name, namespace: 'team' },
    spec: { ttlSecondsAfterFinished: 60, template: {} },
    status:
      endedMs === undefined
        ? {}
        : { conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: toTime(endedMs) }] },
  });
  return {
    controller: 'ttlafterfinished',
    instants: [NOON, NOON + MINUTE, NOON + 10 * MINUTE],
    ...oneByOne(
      ['a', 'b', 'c'].slice(0, objects).map((name) => planted(jobs, job(name, NOON))),
      [
        updates('the user extends its lifetime', jobs, 'team', 'a', ({ spec }) => ({
          spec: { ...spec, ttlSecondsAfterFinished: 600 } as Job['spec'] & object,
        })),
        deletes('the user deletes the Job', jobs, 'team', 'a', { propagationPolicy: 'Background' }),
        creates('the user recreates the Job', jobs, job('a')),
        updates(
          'the Job ends',
          jobs,
          'team',
          'a',
          ({ status }, nowMs) => (status?.conditions ? undefined : { status: job('a', nowMs).status ?? {} }),
          { subresource: 'status', progress: true },
        ),
      ],
    ),
    invariants: ttlAfterFinishedInvariants,
  };
}
