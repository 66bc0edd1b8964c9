import { describe, expect, it } from 'vitest';
import { persistentVolumes } from '../../api/groups/index.ts';
import { isNotFound } from '../../api/status/api-error.ts';
import type { Fault } from '../../test/world/faults.ts';
import { shareWorld, useWorld } from '../../test/world/use-world.ts';
import type { World } from '../../test/world/world.ts';

const MINUTE = 60_000;

const startWorld = () => useWorld({ controllers: ['pv-protection'] });
const shared = shareWorld({ controllers: ['pv-protection'] });
let count = 0;

/** Returns a client for one PersistentVolume, whose name is unique to a test. */
function volumeIn(world: World, name = `disk-${++count}`) {
  const { client, vocabulary, manager } = world;
  const volumes = client.cluster(persistentVolumes);
  const since = manager.faults.seen.length;
  const get = () => volumes.get(name);
  return {
    name,
    finalizer: vocabulary.key('', 'pv-protection'),
    get,
    create: (finalizers: readonly string[] = [], claim?: string) =>
      volumes.create({
        metadata: { name, finalizers },
        spec: {
          capacity: { storage: '1Gi' },
          accessModes: ['ReadWriteOnce'],
          hostPath: { path: '/tmp' },
          ...(claim === undefined ? {} : { claimRef: { kind: 'PersistentVolumeClaim', name: claim } }),
        },
      }),
    remove: () => volumes.delete(name),
    patch: (metadata: object) => volumes.patch(name, 'merge', { metadata }),
    setPhase: (phase: 'Pending' | 'Available' | 'Bound' | 'Released' | 'Failed') =>
      volumes.subresource('status').patch(name, 'merge', { status: { phase } }),
    goes: () => world.eventually(async () => expect(await get().catch(isNotFound)).toBe(true)),
    stays: async () => {
      await world.clock.advance(2 * MINUTE);
      expect((await get()).metadata?.deletionTimestamp).toBeDefined();
    },
    /** Calls `act` when the controller sends its first request with this verb for the volume. */
    before(verb: string, act: () => Promise<unknown>): () => void {
      let acted: Promise<unknown> | undefined;
      const heal = manager.faults.add(({ method, path }) =>
        method === verb && path.includes(`/persistentvolumes/${name}`) ? (acted ??= act()) : undefined,
      );
      return () => {
        heal();
        expect(acted).toBeDefined();
      };
    },
    writes: () =>
      manager.faults.seen.slice(since).filter((line) => !line.startsWith('GET') && line.includes(name)),
  };
}

describe('pvProtectionController', () => {
  it('releases a volume without a claim when it is deleted', async () => {
    const volume = volumeIn(shared());
    expect((await volume.create()).metadata?.finalizers).toEqual([volume.finalizer]);
    await volume.remove();
    await volume.goes();
  });

  it.each(['Pending', 'Available', 'Released', 'Failed'] as const)(
    'releases a volume in the phase %s, even if it names a claim',
    async (phase) => {
      const volume = volumeIn(shared());
      await volume.create([], 'data');
      await volume.setPhase(phase);
      await volume.remove();
      await volume.goes();
    },
  );

  it('keeps a bound volume until its claim releases it, without writing it meanwhile', async () => {
    const volume = volumeIn(shared());
    await volume.create();
    await volume.setPhase('Bound');
    await volume.remove();
    await volume.stays();
    expect(volume.writes()).toEqual([]);
    await volume.setPhase('Released');
    await volume.goes();
  });

  it('decides about each volume independently', async () => {
    const [held, free, kept] = [volumeIn(shared()), volumeIn(shared()), volumeIn(shared())];
    for (const volume of [held, free, kept]) await volume.create();
    await held.setPhase('Bound');
    await held.remove();
    await free.remove();
    await free.goes();
    await held.stays();
    expect((await kept.get()).metadata?.deletionTimestamp).toBeUndefined();
  });

  it('adds its finalizer again to a volume that lost it, and retains other finalizers', async () => {
    const volume = volumeIn(shared());
    await volume.create();
    await volume.patch({ finalizers: ['example.com/hold'] });
    await shared().eventually(async () =>
      expect((await volume.get()).metadata?.finalizers).toEqual(['example.com/hold', volume.finalizer]),
    );
  });

  it('never writes a volume that has the finalizer', async () => {
    const volume = volumeIn(shared());
    await volume.create();
    await volume.setPhase('Bound');
    await volume.patch({ labels: { a: 'b' } });
    await shared().clock.advance(2 * MINUTE);
    expect(volume.writes()).toEqual([]);
  });

  it('retains finalizers of other controllers, and does not add its own finalizer again meanwhile', async () => {
    const volume = volumeIn(shared());
    await volume.create(['example.com/hold']);
    await volume.remove();
    await volume.stays();
    expect((await volume.get()).metadata?.finalizers).toEqual(['example.com/hold']);
    await volume.patch({ finalizers: null });
    await volume.goes();
  });

  it.each([
    ['the live read', 'GET'],
    ['the write', 'PUT'],
  ])('keeps a volume that is bound before %s that precedes its release', async (_request, verb) => {
    const volume = volumeIn(shared());
    await volume.create();
    const done = volume.before(verb, () => volume.setPhase('Bound'));
    await volume.remove();
    await volume.stays();
    done();
  });

  it('does not write a volume again that another client released first', async () => {
    const volume = volumeIn(shared());
    await volume.create();
    const done = volume.before('PUT', () => volume.patch({ finalizers: null }));
    await volume.remove();
    await shared().clock.advance(2 * MINUTE);
    await volume.goes();
    expect(volume.writes()).toHaveLength(1);
    done();
  });

  it.each<[string, string, Fault]>([
    ['it cannot be read', 'GET', { status: 503, reason: 'ServiceUnavailable' }],
    ['the write is rejected', 'PUT', { status: 500, reason: 'InternalError' }],
    ['the write gets no response', 'PUT', 'unanswered'],
  ])('releases a volume even if at first %s', async (_what, verb, fault) => {
    const volume = volumeIn(shared());
    let injected = 0;
    const heal = shared().manager.faults.add(({ method, path }) =>
      method === verb && path.includes(`/persistentvolumes/${volume.name}`) && injected++ < 2
        ? fault
        : undefined,
    );
    await volume.create();
    await volume.remove();
    await volume.goes();
    heal();
    expect(injected).toBeGreaterThan(0);
  });

  it('adds the finalizer to a new volume of the same name', async () => {
    const volume = volumeIn(shared());
    await volume.create();
    await volume.remove();
    await volume.goes();
    await volume.create();
    await shared().clock.advance(2 * MINUTE);
    const { metadata } = await volume.get();
    expect(metadata?.finalizers).toEqual([volume.finalizer]);
    expect(metadata?.deletionTimestamp).toBeUndefined();
  });

  it('releases a volume that was deleted while no manager ran, once one starts', async () => {
    const world = await startWorld();
    const volume = volumeIn(world);
    await volume.create();
    await world.manager.stop();
    await volume.remove();
    await volume.stays();
    await world.startManager({ controllers: ['pv-protection'] });
    await volume.goes();
  });
});
