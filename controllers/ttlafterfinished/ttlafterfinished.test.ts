import { describe, expect, it } from 'vitest';
import { jobs } from '../../api/groups/batch-v1.ts';
import { isNotFound } from '../../api/status/api-error.ts';
import { toTime } from '../../base/clock/clock.ts';
import { useWorld } from '../../test/world/use-world.ts';
import type { WorldOptions } from '../../test/world/world.ts';
import { withFastClock } from '../fast-clock.fixture.ts';
import { ttlAfterFinishedController } from './ttlafterfinished.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
/** Time in milliseconds that is longer than every time to live in these tests. */
const LATER = 600 * SECOND;

async function start(options: WorldOptions = {}) {
  const world = await useWorld({ controllers: ['ttlafterfinished', 'garbagecollector'], ...options });
  const { client, clock } = world;
  const own = client.namespaced(jobs, 'team');
  const isThere = () =>
    own.get('work').then(
      () => true,
      (thrown: unknown) => {
        if (isNotFound(thrown)) return false;
        throw thrown;
      },
    );
  return {
    ...world,
    own,
    isThere,
    create: (ttlSecondsAfterFinished?: number) =>
      own.create({
        metadata: { name: 'work' },
        spec: {
          template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
          ...(ttlSecondsAfterFinished === undefined ? {} : { ttlSecondsAfterFinished }),
        },
      }),
    end: async (type = 'Complete', status: 'True' | 'False' = 'True') =>
      own.subresource('status').update({
        ...(await own.get('work')),
        status: { conditions: [{ type, status, lastTransitionTime: toTime(clock.now()) }] },
      }),
    /**
     * Expects that the Job exists one second before `ms` and no longer exists one second after, which leaves
     * time for the garbage collector.
     */
    async expectEndAfter(ms: number) {
      await clock.advance(ms - SECOND);
      expect(await isThere()).toBe(true);
      await clock.advance(2 * SECOND);
      expect(await isThere()).toBe(false);
    },
  };
}

describe('ttlAfterFinishedController', () => {
  it.each(['Complete', 'Failed'])('deletes a Job that is %s after its time to live', async (type) => {
    const { create, end, expectEndAfter, clock } = await start();
    await create(100);
    await clock.advance(LATER);
    await end(type);
    await expectEndAfter(100 * SECOND);
  });

  it('deletes a finished Job at once if its time to live is 0', async () => {
    const { create, end, clock, isThere } = await start();
    await create(0);
    await end();
    await clock.advance(SECOND);
    expect(await isThere()).toBe(false);
  });

  it.each([
    ['without a time to live', undefined, 'Complete', 'True'],
    ['that has not finished', 5, 'Suspended', 'True'],
    ['with a false completion condition', 5, 'Complete', 'False'],
  ] as const)('keeps a Job %s', async (_what, ttl, type, status) => {
    const { create, end, clock, isThere } = await start();
    await create(ttl);
    await end(type, status);
    await clock.advance(LATER);
    expect(await isThere()).toBe(true);
  });

  it.each([
    ['set after the end of the Job', undefined, 120, 60],
    ['extended after the end of the Job', 100, 120, 60],
    ['shortened after the end of the Job', 500, 80, 20],
  ])('counts a time to live that is %s from that end', async (_what, first, then, left) => {
    const { create, end, own, clock, expectEndAfter } = await start();
    await create(first);
    await end();
    await clock.advance(60 * SECOND);
    await own.patch('work', 'merge', { spec: { ttlSecondsAfterFinished: then } });
    await expectEndAfter(left * SECOND);
  });

  it('keeps a Job whose time to live is removed', async () => {
    const { create, end, own, clock, isThere } = await start();
    await create(100);
    await end();
    await clock.advance(60 * SECOND);
    await own.patch('work', 'merge', { spec: { ttlSecondsAfterFinished: null } });
    await clock.advance(LATER);
    expect(await isThere()).toBe(true);
  });

  it('keeps a Job whose time to live is extended during the deletion', async () => {
    const { create, end, own, clock, isThere, manager } = await start();
    await create(100);
    await end();
    let patched: Promise<unknown> | undefined;
    manager.faults.add(({ method }) => {
      if (method !== 'DELETE' || patched) return undefined;
      return (patched = own.patch('work', 'merge', { spec: { ttlSecondsAfterFinished: 900 } }));
    });
    await clock.advance(LATER);
    expect(patched).toBeDefined();
    expect(await isThere()).toBe(true);
    await clock.advance(LATER);
    expect(await isThere()).toBe(false);
  });

  it('counts the time to live of a new Job of the same name from its own end', async () => {
    const { create, end, own, clock, isThere } = await start();
    await create(100);
    await end();
    await clock.advance(99 * SECOND);
    await own.delete('work', { propagationPolicy: 'Background' });
    await create(100);
    await clock.advance(LATER);
    expect(await isThere()).toBe(true);
  });

  it('deletes a Job in the foreground, together with its pods', async () => {
    const { create, end, clock, manager } = await start();
    const bodies: string[] = [];
    manager.faults.add(({ method, body }) => {
      if (method === 'DELETE') bodies.push(String(body));
      return undefined;
    });
    await create(1);
    await end();
    await clock.advance(2 * SECOND);
    expect(bodies[0]).toContain('"propagationPolicy":"Foreground"');
  });

  it('deletes a Job that expired while no manager ran, and retries a failed deletion', async () => {
    const { create, end, clock, isThere, manager, startManager, eventually } = await start();
    await create(100);
    await end();
    await manager.stop();
    await clock.advance(LATER);
    const next = await startManager({ controllers: ['ttlafterfinished', 'garbagecollector'], ready: false });
    let refusals = 0;
    next.faults.add(({ method }) =>
      method === 'DELETE' && refusals++ < 2 ? { status: 500, reason: 'InternalError' } : undefined,
    );
    await eventually(async () => expect(await isThere()).toBe(false));
    expect(refusals).toBe(3);
  });

  it('deletes nothing early if the local clock is a day fast', async () => {
    const { create, end, clock, own } = await start({
      controllers: ['ttlafterfinished'],
      definitions: () => [withFastClock(ttlAfterFinishedController, 24 * HOUR)],
    });
    await create(100);
    await end();
    await clock.advance(99 * SECOND);
    expect((await own.get('work')).metadata?.deletionTimestamp).toBeUndefined();
    await clock.advance(2 * SECOND);
    expect((await own.get('work')).metadata?.deletionTimestamp).toBeDefined();
  });
});
