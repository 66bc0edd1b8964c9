import { describe, expect, it } from 'vitest';
import { configMaps, namespaces, serviceAccounts } from '../../api/groups/core-v1.ts';
import { isNotFound } from '../../api/status/api-error.ts';
import { useWorld } from '../../test/world/use-world.ts';

const HOUR = 3_600_000;

async function start() {
  const world = await useWorld({ controllers: ['serviceaccount', 'root-ca-cert-publisher'] });
  const { client, vocabulary } = world;
  return {
    ...world,
    accounts: (namespace = 'team') => client.namespaced(serviceAccounts, namespace),
    maps: (namespace = 'team') => client.namespaced(configMaps, namespace),
    rootCa: vocabulary.rootCaConfigMap,
  };
}

describe('default ServiceAccount and root CA of a namespace', () => {
  it('are created in a new namespace', async () => {
    const { eventually, accounts, maps, rootCa, settings, clock, client } = await start();
    await eventually(() => accounts().get('default'));
    const map = await eventually(() => maps().get(rootCa));
    expect(map.data).toEqual({ 'ca.crt': settings.rootCa });
    await clock.advance(1_000);
    for (const { metadata } of (await client.cluster(namespaces).list()).items) {
      await accounts(metadata?.name).get('default');
      await maps(metadata?.name).get(rootCa);
    }
  });

  it('are created again after they are deleted', async () => {
    const { eventually, accounts, maps, rootCa } = await start();
    const first = await eventually(() => accounts().get('default'));
    await eventually(() => maps().get(rootCa));
    await accounts().delete('default');
    await maps().delete(rootCa);
    const second = await eventually(() => accounts().get('default'));
    expect(second.metadata?.uid).not.toBe(first.metadata?.uid);
    await eventually(() => maps().get(rootCa));
  });

  it('are corrected if a user changes the root CA', async () => {
    const { eventually, maps, rootCa, settings } = await start();
    await eventually(() => maps().get(rootCa));
    await maps().patch(rootCa, 'merge', { data: { 'ca.crt': 'forged', more: 'x' } });
    await eventually(async () =>
      expect((await maps().get(rootCa)).data).toEqual({ 'ca.crt': settings.rootCa }),
    );
  });

  it('are not written if they exist', async () => {
    const { eventually, accounts, clock } = await start();
    await eventually(() => accounts().get('default'));
    const changed = await accounts().patch('default', 'merge', { automountServiceAccountToken: false });
    await accounts().create({ metadata: { name: 'other' } });
    await clock.advance(HOUR);
    expect(await accounts().get('default')).toEqual(changed);
    expect((await accounts().list()).items.map(({ metadata }) => metadata?.name)).toEqual([
      'default',
      'other',
    ]);
  });

  it('are not created in a namespace that is being deleted, where a late creation is not a failure', async () => {
    const { eventually, accounts, maps, rootCa, client, clock, journal } = await start();
    await eventually(() => accounts().get('default'));
    // Without the namespace controller, the finalizer keeps the namespace in the phase Terminating.
    await client.cluster(namespaces).delete('team');
    await accounts().delete('default');
    await maps().delete(rootCa);
    await clock.advance(HOUR);
    await expect(accounts().get('default')).rejects.toSatisfy(isNotFound);
    await expect(maps().get(rootCa)).rejects.toSatisfy(isNotFound);
    expect(journal.read({ key: 'team' }).filter(({ outcome }) => outcome === 'failed')).toEqual([]);
  });

  it('are created again in a new namespace of the same name', async () => {
    const world = await useWorld({ controllers: ['serviceaccount', 'root-ca-cert-publisher', 'namespace'] });
    const all = world.client.cluster(namespaces);
    const accounts = world.client.namespaced(serviceAccounts, 'team');
    const first = await world.eventually(() => accounts.get('default'));
    await all.delete('team');
    await world.eventually(async () => expect(await all.get('team').catch(isNotFound)).toBe(true));
    await all.create({ metadata: { name: 'team' } });
    const second = await world.eventually(() => accounts.get('default'));
    expect(second.metadata?.uid).not.toBe(first.metadata?.uid);
    await world.eventually(() =>
      world.client.namespaced(configMaps, 'team').get(world.vocabulary.rootCaConfigMap),
    );
  });

  it('are created even if creations fail, time out or lose their responses', async () => {
    const { manager, client, eventually, accounts, maps, rootCa } = await start();
    let count = 0;
    manager.faults.add(({ method }) => {
      if (method !== 'POST' || ++count > 8) return undefined;
      return count % 2 === 0 ? 'unanswered' : { status: 500, reason: 'InternalError' };
    });
    await client.cluster(namespaces).create({ metadata: { name: 'late' } });
    await eventually(async () => {
      await accounts('late').get('default');
      await maps('late').get(rootCa);
    });
  });
});
