import { afterEach, describe, expect, it } from 'vitest';
import { configMaps, namespaces, serviceAccounts } from '../../api/groups/core-v1.ts';
import type { Stage } from '../../apiserver/http/pipeline.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { type World, createWorld } from '../../test/world/world.ts';
import { parsePlan } from '../plan/plan.ts';
import { type StrikeRecord, createStrikes } from '../plan/strikes.ts';
import { createInterception } from './interception.ts';
import { createChaosStage } from './stage.ts';
import { createStoreHistory } from './store-history.ts';

const running: World[] = [];
afterEach(async () => {
  for (const each of running.splice(0)) await each.stop();
});

interface Troubled extends World {
  readonly strikes: readonly StrikeRecord[];
  /** Starts to inject the faults of the rules. */
  trouble(...rules: readonly object[]): void;
}

/** Creates a world whose API server has a fault stage that is inactive before `trouble`. */
async function start(): Promise<Troubled> {
  let chaos: Stage | undefined;
  const door: Stage = {
    name: 'chaos',
    run: (context, next) => (chaos ? chaos.run(context, next) : next(context)),
  };
  const world = await createWorld({ controllers: [], assembly: { stages: [door] } });
  running.push(world);
  const { clock } = world;
  const older = createStoreHistory(world.storage, clock);
  await older.start();
  const strikes: StrikeRecord[] = [];
  return {
    ...world,
    strikes,
    trouble(...rules) {
      const plan = parsePlan(JSON.stringify({ rules }));
      const onStrike = (strike: StrikeRecord): void => void strikes.push(strike);
      const decided = createStrikes({ plan, seed: 3, clock, onStrike });
      chaos = createChaosStage(createInterception({ strikes: decided, older, clock, log: silentLogger }));
    },
  };
}

const mapsOf = (world: World) => world.client.namespaced(configMaps, 'default');

describe('a fault plan in the built-in API server', () => {
  it('matches the authenticated user', async () => {
    const world = await start();
    world.trouble({ match: { user: 'mallory', verb: 'create' }, fault: 'lost-response' });
    const mallory = world.as('mallory', 'system:masters').namespaced(configMaps, 'default');
    await mapsOf(world).create({ metadata: { name: 'calm' } });
    await expect(mallory.create({ metadata: { name: 'lost' } })).rejects.toMatchObject({
      code: 'ERR_CONNECTION',
    });
    expect((await mapsOf(world).get('lost')).metadata?.uid).toBeDefined();
    expect(world.strikes).toMatchObject([{ user: 'mallory', fault: 'lost-response', target: 'configmaps' }]);
  });

  it('executes a request whose sender has disconnected', async () => {
    const world = await start();
    world.trouble({ match: { verb: 'create', times: 1 }, fault: { name: 'zombie', lasts: '1h' } });
    await expect(mapsOf(world).create({ metadata: { name: 'late' } })).rejects.toMatchObject({
      code: 'ERR_CONNECTION',
    });
    await world.clock.advance(3_599_000);
    await expect(mapsOf(world).get('late')).rejects.toMatchObject({ reason: 'NotFound' });
    await world.clock.advance(2_000);
    expect((await mapsOf(world).get('late')).metadata?.name).toBe('late');
  });

  it("serves stale reads from the store's history to lists and gets", async () => {
    const world = await start();
    const maps = mapsOf(world);
    await maps.create({ metadata: { name: 'm' }, data: { k: 'old' } });
    await world.clock.advance(60_000);
    await maps.patch('m', 'merge', { data: { k: 'new' } });
    world.trouble({ match: { resource: 'configmaps' }, fault: { name: 'stale-list', revisions: 1 } });
    expect((await maps.get('m')).data).toEqual({ k: 'old' });
    expect((await maps.list()).items.find(({ metadata }) => metadata?.name === 'm')?.data).toEqual({
      k: 'old',
    });
    world.trouble({
      match: { resource: 'configmaps' },
      fault: { name: 'stale-list', revisions: 1_000, age: '30s' },
    });
    expect((await maps.get('m')).data).toEqual({ k: 'old' });
    await world.clock.advance(31_000);
    expect((await maps.get('m')).data).toEqual({ k: 'new' });
  });

  it('does not prevent controllers from converging', async () => {
    const world = await start();
    world.trouble(
      { match: { verb: 'create', resource: 'serviceaccounts', probability: 0.5 }, fault: 'lost-response' },
      { match: { verb: 'create', resource: 'serviceaccounts', probability: 0.5 }, fault: 'server-error' },
      { match: { verb: 'list', probability: 0.3 }, fault: 'unavailable' },
      { match: { verb: 'watch', probability: 0.3 }, fault: 'cut-watch' },
      { match: { verb: 'watch', probability: 0.3 }, fault: { name: 'late-events', lasts: ['1s', '20s'] } },
      { match: { verb: 'watch', probability: 0.2 }, fault: { name: 'expired-watch', lasts: '5s' } },
    );
    await world.startManager({ controllers: ['serviceaccount'], ready: false });
    for (const name of ['one', 'two', 'three'])
      await world.eventually(() => world.client.cluster(namespaces).create({ metadata: { name } }));
    for (const name of ['one', 'two', 'three'])
      await world.eventually(() => world.client.namespaced(serviceAccounts, name).get('default'), 600_000);
    expect(new Set(world.strikes.map(({ fault }) => fault)).size).toBeGreaterThan(2);
  });
});
