import { describe, expect, it } from 'vitest';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configMaps } from '../../api/groups/index.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { createPlanMachine } from '../../machines/reconcile/plan-machine.ts';
import { useWorld } from '../../test/world/use-world.ts';
import { createInMemoryTransport } from '../client/in-memory-transport.ts';
import { defineController } from '../controller/define.ts';
import { watch } from '../controller/watch.ts';
import { runControllers } from './run-controllers.ts';

/** Creates a controller that records each reconciled key. */
const notingController = (seen: string[]) =>
  defineController({
    name: 'noting',
    machine: createPlanMachine({ id: 'noting', actions: [], plan: () => ({ actions: [] }) }),
    watches: () => [watch(configMaps, { namespace: 'team' })],
    effects: () => ({ observe: async ({ key }: { key: string }) => void seen.push(key) }),
  });

describe('runControllers', () => {
  it('reconciles keys until the signal aborts and no key afterwards', async () => {
    const world = await useWorld({ controllers: [] });
    const seen: string[] = [];
    const stop = new AbortController();
    const running = await runControllers({
      controllers: [notingController(seen)],
      server: {
        transport: createInMemoryTransport({
          handler: world.server.handler,
          peer: world.peerOf('admin', 'system:masters'),
        }),
      },
      environment: { clock: world.clock, random: createSeededRandom(1), log: silentLogger },
      signal: stop.signal,
    });
    const objects = world.client.namespaced(configMaps, 'team');
    await objects.create({ metadata: { name: 'a' } });
    await world.eventually(() => expect(seen).toContain('team/a'));
    const { text } = await running.manager.metrics();
    expect(text).toContain('informer_objects{informer="configmaps in team"}');
    expect(text).toContain('rest_client_requests_total');

    stop.abort();
    await world.clock.advance(5_000);
    await running.stopped;
    await objects.create({ metadata: { name: 'b' } });
    await world.clock.advance(1_000);
    expect(seen).not.toContain('team/b');
  });

  it('rejects an unreadable configuration with its path', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'configuration-'));
    try {
      const run = (kubeconfig: string) =>
        runControllers({ controllers: [notingController([])], server: { kubeconfig } });
      await expect(run(join(folder, 'none'))).rejects.toMatchObject({
        code: 'ERR_CONFIG',
        message: expect.stringContaining(join(folder, 'none')),
      });
      writeFileSync(join(folder, 'empty'), '{}');
      await expect(run(join(folder, 'empty'))).rejects.toMatchObject({ code: 'ERR_CONFIG' });
      await expect(
        runControllers({ controllers: [notingController([])], server: { inCluster: {} } }),
      ).rejects.toMatchObject({ code: 'ERR_CONFIG' });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
