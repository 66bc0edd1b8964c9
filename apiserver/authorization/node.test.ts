import { describe, expect, it } from 'vitest';
import { leastProcessorMsOf } from '../../test/processor-time.ts';
import type { UserInfo } from '../../api/kinds/kind.ts';
import type { PersistentVolume } from '../../api/types/core-v1-persistent-volume.ts';
import type { Pod } from '../../api/types/core-v1-pod.ts';
import type { VolumeAttachment } from '../../api/types/storage-v1.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { nodeRules } from '../bootstrap/component-roles.ts';
import type { Attributes } from '../request.ts';
import { createNodeAuthorizer } from './node.ts';
import { createNodeGraph } from './node-graph.ts';
import { fixtureReader } from './reader.fixture.ts';

const node = (name: string): UserInfo => ({ username: `system:node:${name}`, groups: ['system:nodes'] });

function pod(nodeName: string, name: string, spec: object = {}, metadata: object = {}): Pod {
  return {
    metadata: { namespace: 'ns', name, uid: `u-${name}`, ...metadata },
    spec: { nodeName, containers: [{ name: 'c' }], ...spec },
  } as Pod;
}

const secretVolume = (secretName: string): object => ({ volumes: [{ name: 's', secret: { secretName } }] });
const claimVolume = (claimName: string): object => ({
  volumes: [{ name: 'd', persistentVolumeClaim: { claimName } }],
});
const boundTo = (name: string, spec: object): PersistentVolume =>
  ({
    metadata: { name },
    spec: { claimRef: { namespace: 'ns', name: 'data' }, ...spec },
  }) as PersistentVolume;

function setUp(
  pods: readonly Pod[] = [],
  volumes: readonly PersistentVolume[] = [],
  attachments: readonly VolumeAttachment[] = [],
) {
  const readers = {
    pods: fixtureReader(pods),
    persistentVolumes: fixtureReader(volumes),
    volumeAttachments: fixtureReader(attachments),
  };
  const graph = createNodeGraph(readers, 'kubernetes.io/config.mirror');
  const authorizer = createNodeAuthorizer({
    graph,
    rules: nodeRules(kubernetesVocabulary),
    vocabulary: kubernetesVocabulary,
  });
  const decide = (user: UserInfo, over: Partial<Attributes>) =>
    authorizer.authorize({
      user,
      verb: 'get',
      isResourceRequest: true,
      path: '',
      group: '',
      version: 'v1',
      resource: 'secrets',
      subresource: '',
      namespace: 'ns',
      name: 's',
      ...over,
    });
  /** True if the node may get the object. */
  const reads = async (name: string, over: Partial<Attributes>): Promise<boolean> =>
    (await decide(node(name), over)).verdict === 'allow';
  return { readers, graph, authorizer, decide, reads };
}

const CSI = { nodePublishSecretRef: 'publish', nodeStageSecretRef: 'stage' };

describe('node authorizer', () => {
  it.each<[string, object, Partial<Attributes>]>([
    ['a Secret in a volume', secretVolume('s'), {}],
    ['a Secret for pulling images', { imagePullSecrets: [{ name: 's' }] }, {}],
    [
      'a Secret in the environment',
      { containers: [{ name: 'c', envFrom: [{ secretRef: { name: 's' } }] }] },
      {},
    ],
    [
      'a Secret of an ephemeral container',
      {
        ephemeralContainers: [
          { name: 'e', env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 's' } } }] },
        ],
      },
      {},
    ],
    [
      'a Secret in a projected volume',
      { volumes: [{ name: 'p', projected: { sources: [{ secret: { name: 's' } }] } }] },
      {},
    ],
    [
      'a ConfigMap in a volume',
      { volumes: [{ name: 'c', configMap: { name: 's' } }] },
      { resource: 'configmaps' },
    ],
    [
      'a ConfigMap in the environment of an init container',
      {
        initContainers: [{ name: 'i', env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 's' } } }] }],
      },
      { resource: 'configmaps' },
    ],
    ['a claim', claimVolume('s'), { resource: 'persistentvolumeclaims' }],
    [
      'the claim of an ephemeral volume',
      { volumes: [{ name: 'v', ephemeral: {} }] },
      { resource: 'persistentvolumeclaims', name: 'web-v' },
    ],
    [
      "tokens of the pod's service account",
      { serviceAccountName: 's' },
      { verb: 'create', resource: 'serviceaccounts', subresource: 'token' },
    ],
  ])('allows only the node of a pod to access %s', async (_what, spec, over) => {
    const { reads } = setUp([pod('n1', 'web', spec)]);
    expect(await reads('n1', over)).toBe(true);
    expect(await reads('n2', over)).toBe(false);
    expect(await reads('n1', { ...over, namespace: 'other' })).toBe(false);
    expect(await reads('n1', { ...over, name: 'another' })).toBe(false);
  });

  it('allows the volume of a claim, and the Secrets that a node needs to mount the volume', async () => {
    const csi = {
      driver: 'd',
      volumeHandle: 'h',
      nodePublishSecretRef: { namespace: 'drivers', name: CSI.nodePublishSecretRef },
      nodeStageSecretRef: { namespace: 'drivers', name: CSI.nodeStageSecretRef },
      controllerPublishSecretRef: { namespace: 'drivers', name: 'controller' },
    };
    const { reads, readers } = setUp([pod('n1', 'web', claimVolume('data'))], [boundTo('vol', { csi })]);
    const volume = { resource: 'persistentvolumes', namespace: '', name: 'vol' };
    const secret = (name: string) => ({ namespace: 'drivers', name });
    expect(await reads('n1', volume)).toBe(true);
    expect(await reads('n2', volume)).toBe(false);
    expect(await reads('n1', secret('publish'))).toBe(true);
    expect(await reads('n1', secret('stage'))).toBe(true);
    expect(await reads('n1', secret('controller'))).toBe(false);
    expect(await reads('n2', secret('publish'))).toBe(false);
    readers.persistentVolumes.set({ metadata: { name: 'vol' }, spec: { csi } } as PersistentVolume);
    expect(await reads('n1', volume)).toBe(false);
    expect(await reads('n1', secret('publish'))).toBe(false);
  });

  it.each<[string, object]>([
    ['azureFile', { azureFile: { secretName: 's', shareName: 'x' } }],
    ['cephfs', { cephfs: { secretRef: { name: 's' } } }],
    ['rbd', { rbd: { secretRef: { name: 's' } } }],
    ['iscsi', { iscsi: { secretRef: { name: 's' } } }],
  ])("looks for a Secret of %s without a namespace in the claim's namespace", async (_what, source) => {
    const { reads } = setUp([pod('n1', 'web', claimVolume('data'))], [boundTo('vol', source)]);
    expect(await reads('n1', {})).toBe(true);
  });

  it("finds the node's volume among many that use a Secret", async () => {
    const csi = { driver: 'd', volumeHandle: 'h', nodePublishSecretRef: { namespace: 'ns', name: 's' } };
    const volumes = Array.from(
      { length: 100 },
      (_, i) =>
        ({
          metadata: { name: `vol-${i}` },
          spec: { claimRef: { namespace: 'ns', name: `data-${i}` }, csi },
        }) as PersistentVolume,
    );
    const { reads, readers } = setUp([pod('n1', 'web', claimVolume('data-70'))], volumes);
    expect(await reads('n1', {})).toBe(true);
    expect(await reads('n2', {})).toBe(false);
    readers.persistentVolumes.delete('', 'vol-70');
    expect(await reads('n1', {})).toBe(false);
  });

  it('lets a node read its own VolumeAttachments', async () => {
    const { reads, readers } = setUp(
      [],
      [],
      [{ metadata: { name: 'at' }, spec: { nodeName: 'n1' } } as VolumeAttachment],
    );
    const attachment = {
      group: 'storage.k8s.io',
      resource: 'volumeattachments',
      namespace: '',
      name: 'at',
    };
    expect(await reads('n1', attachment)).toBe(true);
    expect(await reads('n2', attachment)).toBe(false);
    readers.volumeAttachments.delete('', 'at');
    expect(await reads('n1', attachment)).toBe(false);
  });

  it('allows no access because of an unbound pod or a mirror pod', async () => {
    const mirror = { annotations: { 'kubernetes.io/config.mirror': 'x' } };
    const { reads, readers } = setUp([
      pod('', 'waiting', secretVolume('s')),
      pod('n1', 'mirror', secretVolume('s'), mirror),
    ]);
    expect(await reads('n1', {})).toBe(false);
    expect(await reads('', {})).toBe(false);
    readers.pods.set(pod('n1', 'waiting', secretVolume('s')));
    expect(await reads('n1', {})).toBe(true);
  });

  it('revokes a permission with the last pod that granted it', async () => {
    const { reads, readers } = setUp([
      pod('n1', 'one', secretVolume('s')),
      pod('n1', 'two', secretVolume('s')),
    ]);
    readers.pods.delete('ns', 'one');
    expect(await reads('n1', {})).toBe(true);
    readers.pods.delete('ns', 'two');
    expect(await reads('n1', {})).toBe(false);
  });

  it('follows a pod that was re-created with its name on another node', async () => {
    const { reads, readers } = setUp([pod('n1', 'web', secretVolume('s'))]);
    readers.pods.set(pod('n2', 'web', secretVolume('s'), { uid: 'other' }));
    expect(await reads('n1', {})).toBe(false);
    expect(await reads('n2', {})).toBe(true);
  });

  const lease = {
    group: 'coordination.k8s.io',
    resource: 'leases',
    namespace: 'kube-node-lease',
    name: 'n1',
  };
  const csiNode = { group: 'storage.k8s.io', resource: 'csinodes', namespace: '', name: 'n1' };
  it.each<[Partial<Attributes>, string]>([
    [{ verb: 'update' }, 'can only read resources of this type'],
    [{ subresource: 'x' }, 'cannot read subresource'],
    [{ namespace: '' }, 'can only read namespaced object of this type'],
    [{ verb: 'list', name: '' }, 'No Object name found'],
    [{}, "no relationship found between node 'n1' and this object"],
    [{ resource: 'persistentvolumes', verb: 'list' }, 'can only get individual resources of this type'],
    [{ resource: 'persistentvolumes', subresource: 'status' }, 'cannot get subresource'],
    [{ resource: 'persistentvolumeclaims', subresource: 'status' }, 'can only get/update/patch this type'],
    [{ resource: 'serviceaccounts' }, 'can only create tokens for individual service accounts'],
    [{ resource: 'serviceaccounts', verb: 'create' }, 'can only create token subresource of serviceaccount'],
    [{ ...lease, verb: 'list' }, 'can only get, create, update, patch, or delete a node lease'],
    [{ ...lease, namespace: 'ns' }, 'can only access leases in the "kube-node-lease" system namespace'],
    [{ ...lease, name: 'n2' }, 'can only access node lease with the same name as the requesting node'],
    [{ ...csiNode, verb: 'watch' }, 'can only get, create, update, patch, or delete a CSINode'],
    [{ ...csiNode, subresource: 'x' }, 'cannot authorize CSINode subresources'],
    [{ ...csiNode, name: 'n2' }, 'can only access CSINode with the same name as the requesting node'],
  ])('returns for %o the reason: %s', async (over, reason) => {
    expect(await setUp().decide(node('n1'), over)).toEqual({ verdict: 'no-opinion', reason });
  });

  it('lets a node write its own objects, and do what every node may do', async () => {
    const { reads } = setUp();
    expect(await reads('n1', { ...lease, verb: 'update' })).toBe(true);
    expect(await reads('n1', { ...csiNode, verb: 'delete' })).toBe(true);
    // NodeRestriction checks the name of the created object.
    expect(await reads('n1', { ...csiNode, verb: 'create', name: '' })).toBe(true);
    expect(await reads('n1', { resource: 'pods', verb: 'list', name: '' })).toBe(true);
    expect(await reads('n1', { resource: 'deployments', group: 'apps' })).toBe(false);
    expect(await reads('n1', { isResourceRequest: false, path: '/metrics' })).toBe(false);
  });

  it('has no opinion about users that are not nodes or have no node name', async () => {
    const { decide, authorizer } = setUp([pod('n1', 'web', secretVolume('s'))]);
    const impostor: UserInfo = { username: 'system:node:n1', groups: ['devs'] };
    expect(await decide(impostor, {})).toEqual({ verdict: 'no-opinion', reason: '' });
    expect(await decide({ username: 'alice', groups: ['system:nodes'] }, {})).toEqual({
      verdict: 'no-opinion',
      reason: '',
    });
    expect(await decide(node(''), {})).toEqual({
      verdict: 'no-opinion',
      reason: 'unknown node for user "system:node:"',
    });
    expect(await authorizer.rules?.(node('n1'), 'ns')).toMatchObject({
      incomplete: true,
      error: 'node authorizer does not support user rule resolution',
    });
    expect(await authorizer.rules?.(impostor, 'ns')).toMatchObject({ incomplete: false, error: '' });
  });

  it('decides among 1,000 nodes with 30 pods each in constant time', async () => {
    const pods = Array.from({ length: 30_000 }, (_, i) =>
      pod(`n${i % 1000}`, `p${i}`, { ...secretVolume(`s${i}`), serviceAccountName: 'a' }),
    );
    const { decide } = setUp(pods);
    const decideOnce = (i: number) => decide(node(`n${i % 1000}`), { name: `s${(i * 7) % 30_000}` });
    const run = async (): Promise<void> => {
      for (let i = 0; i < 2000; i++) await decideOnce(i);
    };
    await run();
    // The bound is far above the measured 2 ms: a busy machine passes, a scan does not.
    expect(await leastProcessorMsOf(120, run)).toBeLessThan(120);
  });
});
