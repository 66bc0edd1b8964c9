import { jobs } from '../../api/groups/batch-v1.ts';
import { events, pods } from '../../api/groups/core-v1.ts';
import type { DeepReadonly } from '../../api/kinds/kind.ts';
import type { Job, JobSpec } from '../../api/types/batch-v1.ts';
import type { Pod, PodStatus } from '../../api/types/core-v1-pod.ts';
import { toTime } from '../../base/clock/clock.ts';
import { useWorld } from '../../test/world/use-world.ts';
import type { WorldOptions } from '../../test/world/world.ts';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

type Phase = NonNullable<PodStatus['phase']>;

const template = (restartPolicy: 'Never' | 'OnFailure') => ({
  spec: { restartPolicy, containers: [{ name: 'c', image: 'i' }] },
});

/** Starts a world with the Job controller and without kubelets: the test itself sets the phases of pods. */
export async function startJobs(options: WorldOptions = {}) {
  const world = await useWorld({ controllers: ['job', 'serviceaccount'], ...options });
  const { client, clock, vocabulary } = world;
  const own = client.namespaced(jobs, 'team');
  const ran = client.namespaced(pods, 'team');
  await clock.advance(SECOND);

  const listPods = async (): Promise<readonly DeepReadonly<Pod>[]> => (await ran.list()).items;
  const isActive = ({ status, metadata }: DeepReadonly<Pod>): boolean =>
    !['Succeeded', 'Failed'].includes(status?.phase ?? '') && metadata?.deletionTimestamp === undefined;
  const active = async () => (await listPods()).filter(isActive);
  const settle = (ms = SECOND) => clock.advance(ms);
  /** Sets the phase of a pod as a kubelet does, with the end time of a finished pod. */
  const move = async (pod: DeepReadonly<Pod>, phase: Phase, restarts = 0): Promise<void> => {
    const ended = phase === 'Succeeded' || phase === 'Failed';
    const at = toTime(clock.now());
    await ran.subresource('status').update({
      ...(await ran.get(pod.metadata?.name ?? '')),
      status: {
        phase,
        conditions: [
          { type: 'Ready', status: phase === 'Running' ? 'True' : 'False', lastTransitionTime: at },
        ],
        containerStatuses: [
          {
            name: 'c',
            image: 'i',
            imageID: '',
            ready: phase === 'Running',
            restartCount: restarts,
            ...(ended
              ? { state: { terminated: { exitCode: phase === 'Failed' ? 1 : 0, finishedAt: at } } }
              : {}),
          },
        ],
      },
    });
  };
  return {
    ...world,
    own,
    ran,
    listPods,
    active,
    settle,
    move,
    tracking: vocabulary.key('batch', 'job-tracking'),
    indexKey: vocabulary.key('batch', 'job-completion-index'),
    /** Creates a Job and waits until the controller has reconciled it. */
    async create(spec: Partial<JobSpec> = {}, restartPolicy: 'Never' | 'OnFailure' = 'Never', name = 'work') {
      const job = await own.create({
        metadata: { name },
        spec: { template: template(restartPolicy), ...spec },
      });
      await settle();
      return job;
    },
    get: (name = 'work') => own.get(name),
    change: async (spec: Partial<JobSpec>) => {
      await own.patch('work', 'merge', { spec });
      await settle();
    },
    /** Sets the phase of up to `count` active pods. */
    async finish(count: number, phase: Phase = 'Succeeded') {
      for (const pod of (await active()).slice(0, count)) await move(pod, phase);
      await settle();
    },
    /** Returns the number of events for each reason. */
    reasons: async () => {
      const found: Record<string, number> = {};
      for (const { reason = '', count = 1 } of (await client.namespaced(events, 'team').list()).items)
        found[reason] = (found[reason] ?? 0) + count;
      return found;
    },
    condition: async (type: string) =>
      (await own.get('work')).status?.conditions?.find((each) => each.type === type),
    /** Returns an array to which the name of every pod created from now on is appended. */
    watchPods(): readonly string[] {
      const created: string[] = [];
      void (async () => {
        for (let resourceVersion = '0'; ;)
          for await (const { type, object } of ran.watch({ resourceVersion })) {
            resourceVersion = object.metadata?.resourceVersion ?? resourceVersion;
            if (type === 'ADDED') created.push(object.metadata?.name ?? '');
          }
      })().catch(() => {});
      return created;
    },
    statusOf: async (name = 'work'): Promise<NonNullable<DeepReadonly<Job>['status']>> =>
      // The server omits counts of 0.
      ({ active: 0, succeeded: 0, failed: 0, ...(await own.get(name)).status }),
  };
}
