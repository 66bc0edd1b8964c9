import { expect } from 'vitest';
import { pods, resourceQuotas } from '../../api/groups/index.ts';
import type { ResourceQuota } from '../../api/types/core-v1-quota.ts';
import { useWorld } from '../../test/world/use-world.ts';
import type { WorldOptions } from '../../test/world/world.ts';

export const MINUTE = 60_000;

/** Starts a world with the quota controller and with functions for the quota `q` of a namespace. */
export async function start(options: WorldOptions = {}) {
  const world = await useWorld({ controllers: ['resourcequota', 'serviceaccount'], ...options });
  const { client, eventually, clock } = world;
  const quotas = client.namespaced(resourceQuotas, 'team');
  await clock.advance(2_000);
  return {
    ...world,
    quotas,
    pods: client.namespaced(pods, 'team'),
    quota: (hard: Record<string, string>, spec: ResourceQuota['spec'] = {}) =>
      quotas.create({ metadata: { name: 'q' }, spec: { ...spec, hard } }),
    pod: (name: string, cpu = '100m', more: object = {}) =>
      client.namespaced(pods, 'team').create({
        metadata: { name },
        spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }], ...more },
      }),
    used: async () => (await quotas.get('q')).status?.used,
    expectUsed: (used: Record<string, string>, withinMs = MINUTE) =>
      eventually(async () => expect((await quotas.get('q')).status?.used).toEqual(used), withinMs),
  };
}
