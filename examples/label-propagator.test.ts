import { expect, it } from 'vitest';
import { configMaps, namespaces } from 'orch/api';
import { useControllers } from '../test/world/use-controllers.ts';
import { TEAM, labelPropagator, plan } from './label-propagator.ts';

const target = { key: 'team/a', uid: 'u', resourceVersion: '1' };

it('plans a label only for ConfigMaps whose label differs', () => {
  const right = { target, team: 'red' };
  expect(plan({ team: 'red', configMaps: [right] })).toEqual({ actions: [] });
  expect(plan({ team: null, configMaps: [right] }).actions).toEqual([{ type: 'label', target, team: null }]);
});

it('labelPropagator labels ConfigMaps created before and after their namespace gets the label', async () => {
  const { world } = await useControllers(labelPropagator);
  const { client } = world;
  const label = (team: string | null) =>
    client.cluster(namespaces).patch('team', 'merge', { metadata: { labels: { [TEAM]: team } } });
  const teamOf = async (name: string) =>
    (await client.namespaced(configMaps, 'team').get(name)).metadata?.labels?.[TEAM];

  await client.namespaced(configMaps, 'team').create({ metadata: { name: 'early' } });
  await label('red');
  await world.eventually(async () => expect(await teamOf('early')).toBe('red'));
  await client.namespaced(configMaps, 'team').create({ metadata: { name: 'late' } });
  await world.eventually(async () => expect(await teamOf('late')).toBe('red'));
  await label(null);
  await world.eventually(async () => expect(await teamOf('late')).toBeUndefined());
});
