import { expect, it } from 'vitest';
import { leases } from '../../api/groups/coordination-v1.ts';
import { type Logger, silentLogger } from '../../base/log/logger.ts';
import { useWorld } from '../../test/world/use-world.ts';
import { lookForOtherManager } from './other-manager.ts';

const SECOND = 1_000;

/**
 * Returns the logged warnings if the cluster's own controller manager renewed its lease `renewedMs`
 * milliseconds ago.
 */
async function warnings(renewedMs: number | undefined, holderIdentity = 'node-1_a'): Promise<unknown[]> {
  const { client, clock, vocabulary } = await useWorld({ controllers: [] });
  await clock.advance(SECOND);
  if (renewedMs !== undefined)
    await client.namespaced(leases, vocabulary.namespaces.system).create({
      metadata: { name: `${vocabulary.short}-controller-manager` },
      spec: {
        holderIdentity,
        leaseDurationSeconds: 15,
        renewTime: new Date(clock.now() - renewedMs).toISOString().replace('Z', '000Z'),
      },
    });
  const warned: unknown[] = [];
  const log: Logger = {
    ...silentLogger,
    warn: (fields, message) => void warned.push({ ...fields, message }),
  };
  const look = lookForOtherManager(client, log);
  await look.start();
  await clock.advance(SECOND);
  await look.stop();
  return warned;
}

it('lookForOtherManager warns if another controller manager holds its lease', async () => {
  expect(await warnings(10 * SECOND)).toEqual([
    {
      lease: 'orch-system/orch-controller-manager',
      holder: 'node-1_a',
      message: expect.stringContaining('--controllers') as string,
    },
  ]);
});

it.each([
  ['there is no lease', undefined, ''],
  ['the lease has expired', 20 * SECOND, 'node-1_a'],
  ['the lease has no holder', 0, ''],
])('lookForOtherManager does not warn if %s', async (_where, renewedMs, holder) => {
  expect(await warnings(renewedMs, holder)).toEqual([]);
});
