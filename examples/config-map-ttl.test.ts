import { expect, it } from 'vitest';
import { configMaps } from 'orch/api';
import { useControllers } from '../test/world/use-controllers.ts';
import { TTL, configMapTtl } from './config-map-ttl.ts';

it('configMapTtl deletes a ConfigMap after its time to live and keeps a ConfigMap without one', async () => {
  const { world } = await useControllers(configMapTtl);
  const objects = world.client.namespaced(configMaps, 'team');
  await objects.create({ metadata: { name: 'brief', annotations: { [TTL]: '3600' } } });
  await objects.create({ metadata: { name: 'lasting' } });
  const names = async () => (await objects.list()).items.map(({ metadata }) => metadata?.name);

  await world.clock.advance(3_598_000);
  expect(await names()).toContain('brief');
  await world.clock.advance(3_000);
  await world.eventually(async () => expect(await names()).not.toContain('brief'));
  expect(await names()).toContain('lasting');
});

it('configMapTtl counts an extended time to live from the creation', async () => {
  const { world, running } = await useControllers(configMapTtl);
  const objects = world.client.namespaced(configMaps, 'team');
  await objects.create({ metadata: { name: 'brief', annotations: { [TTL]: '60' } } });
  await world.clock.advance(30_000);
  await objects.patch('brief', 'merge', { metadata: { annotations: { [TTL]: '120' } } });
  await world.clock.advance(60_000);
  expect((await objects.get('brief')).metadata?.name).toBe('brief');
  await world.clock.advance(31_000);
  await expect(objects.get('brief')).rejects.toThrow('not found');
  const reasons = running.manager.journal.read({ key: 'team/brief' }).flatMap(({ reason }) => reason ?? []);
  expect(reasons[0]).toMatch(/^has time to live/);
});
