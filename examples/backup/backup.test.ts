import { expect, it } from 'vitest';
import { customResourceDefinitions, jobs, orchVocabulary } from 'orch/api';
import { isConditionTrue } from 'orch/machines';
import { useControllers } from '../../test/world/use-controllers.ts';
import { backup } from './backup.ts';
import { backupDefinition, backups } from './kind.ts';
import { FINALIZER, type Observed, plan } from './plan.ts';

const observed = (changes: Partial<NonNullable<Observed>>): Observed => ({
  target: { key: 'team/nightly', uid: 'u', resourceVersion: '1' },
  object: { metadata: { finalizers: [FINALIZER] } },
  generation: 1,
  conditions: [],
  jobs: { copy: 'none', erase: 'none' },
  now: '2026-01-01T00:00:00Z',
  ...changes,
});
const deleted = { metadata: { finalizers: [FINALIZER], deletionTimestamp: '2026-01-01T00:00:00Z' } };

it.each([
  ['that does not exist', null, []],
  ['without the finalizer', observed({ object: {} }), ['setFinalizers']],
  ['with the finalizer', observed({}), ['createJob', 'report']],
  ['that is being deleted', observed({ object: deleted }), ['createJob']],
  [
    'that is being deleted, with a running erase Job',
    observed({ object: deleted, jobs: { copy: 'complete', erase: 'running' } }),
    [],
  ],
  [
    'that is being deleted, with a complete erase Job',
    observed({ object: deleted, jobs: { copy: 'complete', erase: 'complete' } }),
    ['setFinalizers'],
  ],
])('plans actions for a Backup %s', (_, seen, types) =>
  expect(plan(seen).actions.map(({ type }) => type)).toEqual(types),
);

it('backup waits for its kind, copies by a Job, and removes its finalizer once the data is erased', async () => {
  const { world, running } = await useControllers(backup);
  const { client } = world;
  expect(running.manager.healthy().reasons).toContain(
    'backup: waiting for backups.example.com, which the server does not serve',
  );
  await client.cluster(customResourceDefinitions).create(backupDefinition(orchVocabulary));
  await world.eventually(() => running.manager.healthy().healthy, 120_000);

  const objects = client.namespaced(backups, 'team');
  const finish = (name: string) =>
    client
      .namespaced(jobs, 'team')
      .subresource('status')
      .patch(name, 'merge', { status: { conditions: [{ type: 'Complete', status: 'True' }] } });
  const isComplete = async () =>
    isConditionTrue((await objects.get('nightly')).status?.conditions, 'Complete');
  await objects.create({ metadata: { name: 'nightly' }, spec: { claim: 'data', image: 'backup:1' } });
  await world.eventually(() => finish('nightly-copy'));
  await world.eventually(isComplete);
  const job = await client.namespaced(jobs, 'team').get('nightly-copy');
  expect(job.metadata?.ownerReferences).toMatchObject([
    { kind: 'Backup', name: 'nightly', controller: true },
  ]);

  await objects.delete('nightly');
  await world.clock.advance(10_000);
  expect((await objects.get('nightly')).metadata?.finalizers).toEqual([FINALIZER]);
  await world.eventually(() => finish('nightly-erase'));
  await world.eventually(() => expect(objects.get('nightly')).rejects.toThrow('not found'));
});
