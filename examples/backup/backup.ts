import { type DeepReadonly, type ObjectOf, isAlreadyExists, jobs, splitKey } from 'orch/api';
import { type ReconcileInput, createPlanMachine, isConditionTrue } from 'orch/machines';
import {
  type ControllerContext,
  controllerReference,
  createObjectWrites,
  createOwnWrites,
  defineController,
  keysOfController,
  targetOf,
  toTime,
  watch,
} from 'orch/runtime';
import { type Backup, backups } from './kind.ts';
import { type Action, type JobState, type Observed, type Purpose, plan } from './plan.ts';

type ActionOf<T extends Action['type']> = Extract<Action, { type: T }>;

/**
 * Returns the name of the Job of a Backup for one purpose. The name is deterministic, so that repeated
 * requests create one Job.
 */
const jobName = (backup: string, purpose: Purpose): string => `${backup}-${purpose}`;

function stateOf(job: DeepReadonly<ObjectOf<typeof jobs>> | undefined): JobState {
  if (job === undefined) return 'none';
  if (isConditionTrue(job.status?.conditions, 'Complete')) return 'complete';
  return isConditionTrue(job.status?.conditions, 'Failed') ? 'failed' : 'running';
}

/** Copies the data of each Backup, a custom resource, by a Job that the Backup owns. */
export const backup = defineController({
  name: 'backup',
  machine: createPlanMachine<Observed, Action>({
    id: 'backup',
    actions: ['setFinalizers', 'createJob', 'report'],
    plan,
  }),
  watches: ({ scheme }) => [watch(backups), watch(jobs, { keys: keysOfController(scheme, backups) })],
  effects: (context) => {
    const own = createOwnWrites<Backup>();
    const writes = createObjectWrites(context.client, backups, own);
    const { store } = context.informers.of(backups);
    return {
      observe: async ({ key }: ReconcileInput) => observe(context, key, own.newest(key, store.get(key))),
      setFinalizers: ({ target, finalizers }: ActionOf<'setFinalizers'>, signal) =>
        writes.setFinalizers(target, finalizers, signal),
      createJob: (action: ActionOf<'createJob'>, signal) => createJob(context, action, signal),
      report: ({ target, conditions }: ActionOf<'report'>, signal) =>
        writes.patchStatus(target, { conditions }, signal),
    };
  },
});

function observe(
  { informers, clock }: ControllerContext,
  key: string,
  found: DeepReadonly<Backup> | undefined,
): Observed {
  if (found === undefined) return null;
  const { finalizers = [], deletionTimestamp, generation = 0 } = found.metadata ?? {};
  const state = (purpose: Purpose): JobState => stateOf(informers.of(jobs).store.get(jobName(key, purpose)));
  return {
    target: targetOf(found),
    object: { metadata: { finalizers, ...(deletionTimestamp && { deletionTimestamp }) } },
    generation: Number(generation),
    conditions: found.status?.conditions ?? [],
    jobs: { copy: state('copy'), erase: state('erase') },
    now: toTime(clock.now()),
  };
}

async function createJob(
  { client, scheme, informers, events }: ControllerContext,
  { target, purpose }: ActionOf<'createJob'>,
  signal: AbortSignal,
): Promise<void> {
  const owner = informers.of(backups).store.get(target.key);
  if (owner?.metadata?.uid !== target.uid) throw new Error(`backup ${target.key} has been replaced`);
  const { namespace, name } = splitKey(jobName(target.key, purpose));
  const { claim, image } = owner.spec;
  const job = {
    metadata: { name, namespace, ownerReferences: [controllerReference(scheme, backups, owner)] },
    spec: {
      template: {
        spec: {
          restartPolicy: 'Never' as const,
          containers: [{ name: purpose, image, args: [purpose, claim] }],
        },
      },
    },
  };
  try {
    await client.namespaced(jobs, namespace).create(job, { signal });
    events.record(owner, 'Normal', 'JobCreated', `Created job ${name}`);
  } catch (thrown) {
    if (!isAlreadyExists(thrown)) throw thrown;
  }
}
