import { jobs, orchVocabulary } from 'orch/api';
import { type Action, type ModuleScenario, invariant, liveObjects, objectOf, verdict } from 'orch/chaos';
import { isConditionTrue } from 'orch/machines';
import { backup } from './backup.ts';
import { backupDefinition, backups } from './kind.ts';
import { FINALIZER } from './plan.ts';

/** Names of Backups whose erase Job has completed. */
type Erased = readonly string[];

const neverUnerased = invariant<Erased>({
  id: 'backup/no-deletion-before-erase',
  says: 'no Backup is deleted before its data is erased',
  controller: 'backup',
  kind: 'never',
  initial: () => [],
  onCommit(erased, commit) {
    const job = objectOf(commit, jobs, 'after');
    const isErased = job !== undefined && isConditionTrue(job.status?.conditions, 'Complete');
    const name = /^(.*)-erase$/.exec(commit.name)?.[1];
    if (isErased && name !== undefined) return verdict([...erased, name], false, undefined);
    const deleted = commit.after === undefined ? objectOf(commit, backups, 'before') : undefined;
    // A Backup without the finalizer has no data: the finalizer is set before its Job is created.
    if (deleted?.metadata?.finalizers?.includes(FINALIZER) !== true) return { state: erased };
    const isEarly = !erased.includes(commit.name);
    return verdict(erased, true, isEarly ? `${commit.name} was deleted before its data` : undefined);
  },
});

const inTheEndComplete = invariant({
  id: 'backup/becomes-complete',
  says: 'every Backup gets a copy Job, and is complete once the Job is',
  controller: 'backup',
  kind: 'eventually',
  initial: () => null,
  atRest(state, live) {
    const kept = liveObjects(live, backups).filter(({ metadata }) => !metadata?.deletionTimestamp);
    const open = kept.find(({ metadata, status }) => {
      const copy = liveObjects(live, jobs).find(
        ({ metadata: { name } = {} }) => name === `${metadata?.name}-copy`,
      );
      const isRunning = copy !== undefined && !isConditionTrue(copy.status?.conditions, 'Complete');
      return !isRunning && !isConditionTrue(status?.conditions, 'Complete');
    });
    return verdict(state, kept.length > 0, open && `${open.metadata?.name} is not complete`);
  },
});

const on = (atMs: number, name: string) =>
  ({ atMs, resource: 'example.com/backups', namespace: 'default', name }) as const;
const make = (atMs: number, name: string): Action => ({
  ...on(atMs, name),
  verb: 'create',
  object: { spec: { claim: 'data', image: 'backup:1' } },
});

export const controllers = [backup];
export const invariants = [neverUnerased, inTheEndComplete];
/** Kinds for the clients. The server learns the kind from the CustomResourceDefinition. */
export const kinds = [backups];
export const workload: readonly Action[] = [
  {
    atMs: 0,
    verb: 'create',
    resource: 'apiextensions/customresourcedefinitions',
    name: 'backups.example.com',
    object: backupDefinition(orchVocabulary),
  },
  make(20_000, 'nightly'),
  make(25_000, 'weekly'),
  { ...on(120_000, 'nightly'), verb: 'delete' },
];

/** Ends the Job of a Backup, as the Job controller would. */
const complete = (atMs: number, job: string): Action => ({
  atMs,
  resource: 'batch/jobs',
  namespace: 'default',
  name: job,
  subresource: 'status',
  verb: 'patch',
  patch: { status: { conditions: [{ type: 'Complete', status: 'True' }] } },
});

/** Actions for `orch chaos explore`, which runs no Job controller. */
export const scenario: ModuleScenario = {
  actions: [
    make(1, 'nightly'),
    complete(2, 'nightly-copy'),
    { ...on(3, 'nightly'), verb: 'delete' },
    complete(4, 'nightly-erase'),
  ],
};
