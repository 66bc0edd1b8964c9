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

/** What users do with one claim, whose name no other test has, and with pods. */
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
    /** A pod on a node with the claim, unless told otherwise. */
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

describe('rules of the protection of claims', () => {
  it.each<[string, (name: string) => Partial<PodSpec>]>([
    ['another claim', () => ({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'other' } }] })],
    ['a ConfigMap of its name', (name) => ({ volumes: [{ name: 'v', configMap: { name } }] })],
    ['no volumes', () => ({ volumes: [] })],
  ])('a pod with %s holds none', async (_what, specOf) => {
    const claim = claimIn(shared());
    await claim.create();
    await claim.pod(`${claim.name}-pod`, specOf(claim.name));
    await claim.remove();
    await claim.goes();
  });

  it('one of many volumes is enough, read-only or not', async () => {
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

  it('a pod of another namespace holds none', async () => {
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

  it('a pod whose volumes still have to be taken down holds it, though it is being deleted', async () => {
    const claim = claimIn(shared());
    await claim.create();
    await claim.pod(`${claim.name}-pod`);
    await claim.remove();
    await claim.pods.delete(`${claim.name}-pod`);
    await claim.stays();
    await claim.pods.delete(`${claim.name}-pod`, NOW);
    await claim.goes();
  });

  it('a pod with a finalizer that is shut down holds a claim that it names, but none that it owns', async () => {
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

  it('a claim that is protected and in use is never written', async () => {
    const claim = claimIn(shared());
    await claim.create();
    await claim.pod(`${claim.name}-pod`);
    await claim.patch({ labels: { a: 'b' } });
    await shared().clock.advance(2 * MINUTE);
    expect(claim.writes()).toEqual([]);
  });

  it('finalizers of others stay, and while they hold the claim its own does not come back', async () => {
    const claim = claimIn(shared());
    await claim.create({ finalizers: ['example.com/hold'] });
    await claim.remove();
    await claim.stays();
    expect((await claim.get()).metadata?.finalizers).toEqual(['example.com/hold']);
    await claim.patch({ finalizers: null });
    await claim.goes();
  });

  it('the server is asked for pods before it goes: one that the cache does not know holds it', async () => {
    const claim = claimIn(shared());
    await claim.create();
    const done = claim.before('GET', '/team/pods', () => claim.pod(`${claim.name}-pod`));
    await claim.remove();
    await claim.stays();
    done();
  });

  it('a pod that is bound to a node after the claim was deleted does not get it back', async () => {
    const claim = claimIn(shared());
    await claim.create({ finalizers: ['example.com/hold'] });
    await claim.remove();
    await claim.stays();
    await claim.pod(`${claim.name}-pod`);
    await claim.stays();
    expect((await claim.get()).metadata?.finalizers).toEqual(['example.com/hold']);
  });

  it('changed in the moment it is let go, it is judged anew', async () => {
    const claim = claimIn(shared());
    await claim.create();
    const done = claim.before('PUT', `/${claim.name}`, () => claim.patch({ labels: { a: 'b' } }));
    await claim.remove();
    await claim.goes();
    expect(claim.writes()).toHaveLength(2);
    done();
  });

  it('stays while pods cannot be listed', async () => {
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

  it('a manager that dies before it lets go leaves it to the next', async () => {
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
