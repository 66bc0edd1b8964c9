import { describe, expect, it } from 'vitest';
import { persistentVolumeClaims, pods } from '../../api/groups/index.ts';
import { isNotFound } from '../../api/status/api-error.ts';
import type { PodSpec } from '../../api/types/core-v1-pod.ts';
import { shareWorld, useWorld } from '../../test/world/use-world.ts';
import type { World } from '../../test/world/world.ts';

const MINUTE = 60_000;
const NOW = { gracePeriodSeconds: 0 };
const controllers = ['pvc-protection', 'serviceaccount'];
const shared = shareWorld({ controllers });
let count = 0;

/** Returns a client for one PersistentVolumeClaim, whose name is unique to a test, and for its pods. */
function claimIn(world: World, name = `data-${++count}`) {
  const claims = world.client.namespaced(persistentVolumeClaims, 'team');
  const all = world.client.namespaced(pods, 'team');
  const get = () => claims.get(name);
  const volumeOf = (claimName: string) => ({ name: 'v', persistentVolumeClaim: { claimName } });
  return {
    name,
    pods: all,
    get,
    create: (metadata: object = {}) =>
      claims.create({
        metadata: { name, ...metadata },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      }),
    remove: () => claims.delete(name),
    patch: (metadata: object) => claims.patch(name, 'merge', { metadata }),
    /** Creates a pod that runs on a node and uses the claim, unless `spec` differs. */
    pod: async (pod: string, spec: Partial<PodSpec> = {}, metadata: object = {}) => {
      await world.eventually(() =>
        all.create({
          metadata: { name: pod, ...metadata },
          spec: {
            nodeName: 'n1',
            containers: [{ name: 'c', image: 'i' }],
            volumes: [volumeOf(name)],
            ...spec,
          },
        }),
      );
      return all.get(pod);
    },
    volumeOf,
    goes: () => world.eventually(async () => expect(await get().catch(isNotFound)).toBe(true), 5 * MINUTE),
    async stays() {
      await world.clock.advance(2 * MINUTE);
      expect((await get()).metadata?.deletionTimestamp).toBeDefined();
    },
    before(verb: string, path: string, act: () => Promise<unknown>): () => void {
      let acted: Promise<unknown> | undefined;
      const heal = world.manager.faults.add((request) =>
        request.method === verb && request.path.includes(path) && !request.path.includes('watch=')
          ? (acted ??= act())
          : undefined,
      );
      return () => {
        heal();
        expect(acted).toBeDefined();
      };
    },
    writes: () =>
      world.manager.faults.seen.filter((line) => !line.startsWith('GET') && line.includes(`/${name}`)),
  };
}

describe('rules of pvcProtectionController', () => {
  it.each<[string, (name: string) => Partial<PodSpec>]>([
    ['another claim', () => ({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'other' } }] })],
    ['a ConfigMap of the same name', (name) => ({ volumes: [{ name: 'v', configMap: { name } }] })],
    ['no volumes', () => ({ volumes: [] })],
  ])('release a claim despite a pod with %s', async (_what, specOf) => {
    const claim = claimIn(shared());
    await claim.create();
    await claim.pod(`${claim.name}-pod`, specOf(claim.name));
    await claim.remove();
    await claim.goes();
  });

  it('keep a claim that is one of many volumes of a pod and read-only', async () => {
    const claim = claimIn(shared());
    await claim.create();
    await claim.pod(`${claim.name}-pod`, {
      volumes: [
        { name: 'a', emptyDir: {} },
        { name: 'v', persistentVolumeClaim: { claimName: claim.name, readOnly: true } },
      ],
    });
    await claim.remove();
    await claim.stays();
    await claim.pods.delete(`${claim.name}-pod`, NOW);
    await claim.goes();
  });

  it('release a claim despite a pod of another namespace', async () => {
    const world = shared();
    const claim = claimIn(world);
    const other = world.client.namespaced(pods, 'default');
    await claim.create();
    await world.eventually(() =>
      other.create({
        metadata: { name: 'elsewhere' },
        spec: {
          nodeName: 'n1',
          containers: [{ name: 'c', image: 'i' }],
          volumes: [claim.volumeOf(claim.name)],
        },
      }),
    );
    await claim.remove();
    await claim.goes();
  });

  it("keep a claim for a pod that is being deleted until the pod's volumes are unmounted", async () => {
    const claim = claimIn(shared());
    await claim.create();
    await claim.pod(`${claim.name}-pod`);
    await claim.remove();
    await claim.pods.delete(`${claim.name}-pod`);
    await claim.stays();
    await claim.pods.delete(`${claim.name}-pod`, NOW);
    await claim.goes();
  });

  it('keep a claim that a stopped pod with a finalizer names, and release a claim that the pod owns', async () => {
    const world = shared();
    const named = claimIn(world);
    const pod = `pod-of-${named.name}`;
    const owned = claimIn(world, `${pod}-scratch`);
    await named.create();
    const { metadata } = await named.pod(
      pod,
      {
        volumes: [
          named.volumeOf(named.name),
          {
            name: 'scratch',
            ephemeral: {
              volumeClaimTemplate: {
                spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
              },
            },
          },
        ],
      },
      { finalizers: ['example.com/hold'] },
    );
    await owned.create({
      ownerReferences: [
        { apiVersion: 'v1', kind: 'Pod', name: pod, uid: metadata?.uid ?? '', controller: true },
      ],
    });
    await owned.remove();
    await named.remove();
    await owned.stays();
    await named.pods.delete(pod, NOW);
    await owned.goes();
    await named.stays();
    await named.pods.patch(pod, 'merge', { metadata: { finalizers: null } });
    await named.goes();
  });

  it('never write a claim that has the finalizer and is in use', async () => {
    const claim = claimIn(shared());
    await claim.create();
    await claim.pod(`${claim.name}-pod`);
    await claim.patch({ labels: { a: 'b' } });
    await shared().clock.advance(2 * MINUTE);
    expect(claim.writes()).toEqual([]);
  });

  it('retain finalizers of other controllers, and do not add their own again meanwhile', async () => {
    const claim = claimIn(shared());
    await claim.create({ finalizers: ['example.com/hold'] });
    await claim.remove();
    await claim.stays();
    expect((await claim.get()).metadata?.finalizers).toEqual(['example.com/hold']);
    await claim.patch({ finalizers: null });
    await claim.goes();
  });

  it('keep a claim for a pod that only a live read returns', async () => {
    const claim = claimIn(shared());
    await claim.create();
    const done = claim.before('GET', '/team/pods', () => claim.pod(`${claim.name}-pod`));
    await claim.remove();
    await claim.stays();
    done();
  });

  it('do not add the finalizer again for a pod scheduled after the deletion of the claim', async () => {
    const claim = claimIn(shared());
    await claim.create({ finalizers: ['example.com/hold'] });
    await claim.remove();
    await claim.stays();
    await claim.pod(`${claim.name}-pod`);
    await claim.stays();
    expect((await claim.get()).metadata?.finalizers).toEqual(['example.com/hold']);
  });

  it('release a claim with a second write if it changes during the first', async () => {
    const claim = claimIn(shared());
    await claim.create();
    const done = claim.before('PUT', `/${claim.name}`, () => claim.patch({ labels: { a: 'b' } }));
    await claim.remove();
    await claim.goes();
    expect(claim.writes()).toHaveLength(2);
    done();
  });

  it('keep a claim while pods cannot be listed', async () => {
    const claim = claimIn(shared());
    const heal = shared().manager.faults.add(({ method, path }) =>
      method === 'GET' && path.includes('/team/pods') && !path.includes('watch=')
        ? { status: 403, reason: 'Forbidden' }
        : undefined,
    );
    await claim.create();
    await claim.remove();
    await claim.stays();
    heal();
    await claim.goes();
  });

  it('release a claim with the next manager if a manager is killed before the write', async () => {
    const world = await useWorld({ controllers });
    const claim = claimIn(world);
    await claim.create();
    world.manager.faults.add(({ method }) => (method === 'PUT' ? 'hanging' : undefined));
    await claim.remove();
    await world.clock.advance(1_000);
    world.manager.kill();
    await claim.stays();
    await world.startManager({ controllers });
    await claim.goes();
  });
});
