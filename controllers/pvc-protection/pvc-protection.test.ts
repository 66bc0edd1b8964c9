import { describe, expect, it } from 'vitest';
import { persistentVolumeClaims, pods } from '../../api/groups/index.ts';
import { isNotFound } from '../../api/status/api-error.ts';
import type { PersistentVolumeClaim } from '../../api/types/core-v1-persistent-volume.ts';
import type { Pod } from '../../api/types/core-v1-pod.ts';
import { useWorld } from '../../test/world/use-world.ts';
import { claimKeys, usesClaim } from './usage.ts';

const MINUTE = 60_000;

async function start(options: Parameters<typeof useWorld>[0] = {}) {
  const world = await useWorld({ controllers: ['pvc-protection', 'serviceaccount'], ...options });
  const claims = world.client.namespaced(persistentVolumeClaims, 'team');
  const podsOfTeam = world.client.namespaced(pods, 'team');
  await world.clock.advance(1_000);
  return {
    ...world,
    claims,
    pods: podsOfTeam,
    claim: () =>
      claims.create({
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      }),
    pod: (name: string, nodeName = 'n1') =>
      podsOfTeam.create({
        metadata: { name },
        spec: {
          ...(nodeName !== '' && { nodeName }),
          containers: [{ name: 'c', image: 'i' }],
          volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }],
        },
      }),
    isThere: () =>
      claims.get('data').then(
        () => true,
        (thrown: unknown) => {
          if (isNotFound(thrown)) return false;
          throw thrown;
        },
      ),
  };
}

describe('pvcProtectionController', () => {
  it('releases an unused claim when it is deleted', async () => {
    const { claim, claims, eventually, isThere, vocabulary } = await start();
    const made = await claim();
    expect(made.metadata?.finalizers).toEqual([vocabulary.key('', 'pvc-protection')]);
    await claims.delete('data');
    await eventually(async () => expect(await isThere()).toBe(false));
  });

  it('keeps a claim until the last pod that uses it was deleted, including finished pods', async () => {
    const { claim, claims, pod, pods: all, eventually, isThere, clock } = await start();
    await claim();
    await pod('one');
    await pod('two');
    await claims.delete('data');
    await clock.advance(MINUTE);
    expect(await isThere()).toBe(true);
    await all.delete('one', { gracePeriodSeconds: 0 });
    await all.subresource('status').patch('two', 'merge', { status: { phase: 'Succeeded' } });
    await clock.advance(MINUTE);
    expect(await isThere()).toBe(true);
    await all.delete('two', { gracePeriodSeconds: 0 });
    await eventually(async () => expect(await isThere()).toBe(false));
  });

  it('releases a claim of a pod that is not scheduled to a node', async () => {
    const { claim, claims, pod, eventually, isThere } = await start();
    await claim();
    await pod('waiting', '');
    await claims.delete('data');
    await eventually(async () => expect(await isThere()).toBe(false));
  });

  it('adds its finalizer again to a claim that lost it', async () => {
    const { claim, claims, eventually, vocabulary } = await start();
    await claim();
    await claims.patch('data', 'merge', { metadata: { finalizers: null } });
    await eventually(async () =>
      expect((await claims.get('data')).metadata?.finalizers).toEqual([vocabulary.key('', 'pvc-protection')]),
    );
  });

  it('protects and releases claims even if requests fail, time out or lose their responses', async () => {
    const { claim, claims, eventually, isThere, manager } = await start();
    let count = 0;
    manager.faults.add(({ method }) => {
      if (method === 'PUT' && ++count <= 4)
        return count % 2 ? 'unanswered' : { status: 500, reason: 'InternalError' };
      return undefined;
    });
    await claim();
    await claims.delete('data');
    await eventually(async () => expect(await isThere()).toBe(false), 5 * MINUTE);
  });
});

describe('usage of a claim', () => {
  const owned = (uid: string): PersistentVolumeClaim => ({
    metadata: {
      name: 'web-scratch',
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'web', uid, controller: true }],
    },
  });
  const web: Pod = {
    metadata: { name: 'web', namespace: 'team', uid: 'u' },
    spec: {
      nodeName: 'n',
      containers: [],
      volumes: [
        { name: 'scratch', ephemeral: {} },
        { name: 'v', persistentVolumeClaim: { claimName: 'data' } },
      ],
    },
  };

  it('enqueues every claim that a pod names, and the claims of its ephemeral volumes', () => {
    expect(claimKeys(web)).toEqual(['team/web-scratch', 'team/data']);
  });

  it('includes the claim of an ephemeral volume only if the pod owns the claim', () => {
    expect(usesClaim(web, owned('u'))).toBe(true);
    expect(usesClaim(web, owned('other'))).toBe(false);
    expect(usesClaim({ ...web, spec: { ...web.spec, nodeName: '', containers: [] } }, owned('u'))).toBe(
      false,
    );
  });
});
