import { expect, it } from 'vitest';
import { events, pods, serviceAccounts } from 'orch/api';
import { useControllers } from '../test/world/use-controllers.ts';
import { imageAuditor, isPinned } from './image-auditor.ts';

it.each([
  ['web', false],
  ['web:latest', false],
  ['registry.example.com:5000/web', false],
  ['registry.example.com:5000/web:1.4', true],
  ['web@sha256:0f', true],
])('isPinned(%s) is %s', (image, pinned) => expect(isPinned(image)).toBe(pinned));

it('imageAuditor emits one event for a pod with an unpinned image, however often the pod changes', async () => {
  const { world } = await useControllers(imageAuditor);
  await world.client.namespaced(serviceAccounts, 'team').create({ metadata: { name: 'default' } });
  const objects = world.client.namespaced(pods, 'team');
  const spec = (image: string) => ({ containers: [{ name: 'main', image }] });
  await objects.create({ metadata: { name: 'floating' }, spec: spec('web') });
  await objects.create({ metadata: { name: 'pinned' }, spec: spec('web:1.4') });
  const found = async () =>
    (await world.client.namespaced(events, 'team').list()).items.map(
      ({ involvedObject, reason, message, series }) => [involvedObject?.name, reason, message, series],
    );
  const warning = ['floating', 'FloatingImage', 'Images without a version: web', undefined];
  await world.eventually(async () => expect(await found()).toEqual([warning]));

  await objects.subresource('status').patch('floating', 'merge', { status: { phase: 'Running' } });
  await objects.patch('floating', 'merge', { metadata: { labels: { seen: 'yes' } } });
  await world.clock.advance(10_000);
  expect(await found()).toEqual([warning]);
});
