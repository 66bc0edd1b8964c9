import { describe, expect, it } from 'vitest';
import {
  csiNodes,
  leases,
  nodes,
  persistentVolumeClaims,
  pods,
  serviceAccounts,
  services,
} from '../../api/groups/index.ts';
import type { ApiObject, UserInfo } from '../../api/kinds/kind.ts';
import type { AnyKind } from '../../api/kinds/scheme.ts';
import type { Node } from '../../api/types/core-v1-node.ts';
import type { Pod } from '../../api/types/core-v1-pod.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { fixtureReader } from '../authorization/reader.fixture.ts';
import type { AdmissionRequest } from '../request.ts';
import { createNodeRestriction } from './node-restriction.ts';
import { admit } from './request.fixture.ts';

const agent: UserInfo = { username: 'system:node:n1', groups: ['system:nodes'] };
const podOn = (nodeName: string, name: string): Pod =>
  ({
    metadata: { namespace: 'ns', name, uid: `uid-${name}` },
    spec: { nodeName, containers: [] },
  }) as unknown as Pod;

const plugin = createNodeRestriction({
  vocabulary: kubernetesVocabulary,
  pods: fixtureReader([podOn('n1', 'mine'), podOn('n2', 'far')]),
  nodes: fixtureReader([{ metadata: { name: 'n1', uid: 'uid-n1' } } as Node]),
});

/** Returns the rejection message that node n1 receives; undefined if the request is admitted. */
async function rejectionOf(kind: object, over: object): Promise<string | undefined> {
  const request: Partial<AdmissionRequest> = { user: agent, kind: kind as AnyKind, ...over };
  try {
    await admit(plugin, request);
    return undefined;
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

const owner = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'uid-n1', controller: true };
const mirror = (spec: object = {}, owners: readonly object[] = [owner]) => ({
  metadata: {
    name: 'web',
    annotations: { 'kubernetes.io/config.mirror': 'x' },
    ownerReferences: owners,
  },
  spec: { nodeName: 'n1', containers: [{ name: 'c' }], ...spec },
});

describe('node restriction', () => {
  it.each<[string, object, string | undefined]>([
    ['its own mirror pod', mirror(), undefined],
    [
      'a pod that is no mirror pod',
      { metadata: { name: 'web' }, spec: { nodeName: 'n1' } },
      'pod does not have "kubernetes.io/config.mirror" annotation, node "n1" can only create mirror pods',
    ],
    [
      'a pod on another node',
      mirror({ nodeName: 'n2' }),
      'node "n1" can only create pods with spec.nodeName set to itself',
    ],
    [
      'a pod with two owners',
      mirror({}, [owner, owner]),
      'node "n1" can only create pods with a single owner reference set to itself',
    ],
    [
      'a pod without an owner',
      mirror({}, []),
      'node "n1" can only create pods with an owner reference set to itself',
    ],
    [
      'a pod with another owner',
      mirror({}, [{ ...owner, name: 'n2' }]),
      'node "n1" can only create pods with an owner reference set to itself',
    ],
    [
      'a pod it does not control',
      mirror({}, [{ ...owner, controller: false }]),
      'node "n1" can only create pods with a controller owner reference set to itself',
    ],
    [
      'a pod that blocks deletion of its node',
      mirror({}, [{ ...owner, blockOwnerDeletion: true }]),
      'node "n1" must not set blockOwnerDeletion on an owner reference',
    ],
    [
      'a pod of an earlier node of the same name',
      mirror({}, [{ ...owner, uid: 'old' }]),
      'node n1 UID mismatch: expected old got uid-n1',
    ],
    [
      'a pod with a service account',
      mirror({ serviceAccountName: 'a' }),
      'node "n1" can not create pods that reference a service account',
    ],
    [
      'a pod with a Secret',
      mirror({ volumes: [{ name: 'v', secret: { secretName: 's' } }] }),
      'node "n1" can not create pods that reference secrets',
    ],
    [
      'a pod with a ConfigMap',
      mirror({ containers: [{ name: 'c', envFrom: [{ configMapRef: { name: 'm' } }] }] }),
      'node "n1" can not create pods that reference configmaps',
    ],
    [
      'a pod with a claim',
      mirror({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'd' } }] }),
      'node "n1" can not create pods that reference persistentvolumeclaims',
    ],
  ])('decides on the creation of %s', async (_what, object, why) => {
    expect(await rejectionOf(pods, { object })).toBe(why && `pods "web" is forbidden: ${why}`);
  });

  const status = { operation: 'UPDATE', subresource: 'status' };
  it.each<[object, string | undefined]>([
    [{ operation: 'DELETE', name: 'mine' }, undefined],
    [
      { operation: 'DELETE', name: 'far' },
      'pods "far" is forbidden: node "n1" can only delete pods with spec.nodeName set to itself',
    ],
    [{ operation: 'DELETE', name: 'absent' }, 'pod "absent" not found'],
    [
      { operation: 'UPDATE', name: 'mine' },
      'pods "mine" is forbidden: unexpected operation "UPDATE", node "n1" can only create and delete mirror pods',
    ],
    [{ ...status, name: 'mine', object: podOn('n1', 'mine'), previous: podOn('n1', 'mine') }, undefined],
    [
      // The pod in the request is ignored, as the node wrote it.
      { ...status, name: 'far', object: podOn('n1', 'far'), previous: podOn('n2', 'far') },
      'pods "far" is forbidden: node "n1" can only update pod status for pods with spec.nodeName set to itself',
    ],
    [
      {
        ...status,
        name: 'mine',
        object: { metadata: { labels: { a: 'b' } } },
        previous: podOn('n1', 'mine'),
      },
      'pods "mine" is forbidden: node "n1" cannot update labels through pod status',
    ],
    [{ subresource: 'eviction', name: 'mine', object: {} }, undefined],
    [
      { subresource: 'eviction', name: 'far', object: {} },
      'pods "far" is forbidden: node n1 can only evict pods with spec.nodeName set to itself',
    ],
    [
      { subresource: 'ephemeralcontainers', operation: 'UPDATE', name: 'mine' },
      'pods "mine" is forbidden: unexpected pod subresource "ephemeralcontainers", only \'status\' and \'eviction\' are allowed',
    ],
  ])('decides on a request for a pod: %o', async (over, why) => {
    expect(await rejectionOf(pods, over)).toBe(why);
  });

  const itself = (labels: object = {}, spec: object = {}) => ({ metadata: { name: 'n1', labels }, spec });
  const labelled = (key: string) => ({ object: itself({ [key]: 'x' }) });
  const update = (object: object, previous: object = itself()) => ({
    operation: 'UPDATE',
    name: 'n1',
    object,
    previous,
  });
  it.each<[object, string | undefined]>([
    [{ object: itself() }, undefined],
    [
      { object: { metadata: { name: 'n2' } } },
      'nodes "n2" is forbidden: node "n1" is not allowed to modify node "n2"',
    ],
    [
      { operation: 'UPDATE', name: 'n2', object: itself(), previous: itself() },
      'nodes "n2" is forbidden: node "n1" is not allowed to modify node "n2"',
    ],
    [labelled('team'), undefined],
    [labelled('example.com/team'), undefined],
    [labelled('kubernetes.io/hostname'), undefined],
    [labelled('topology.kubernetes.io/zone'), undefined],
    [labelled('failure-domain.beta.kubernetes.io/region'), undefined],
    [labelled('node.kubernetes.io/anything'), undefined],
    [labelled('kubelet.kubernetes.io/anything'), undefined],
    [labelled('a.node.kubernetes.io/anything'), undefined],
    [
      labelled('node-restriction.kubernetes.io/a'),
      'nodes "n1" is forbidden: node "n1" is not allowed to set the following labels: node-restriction.kubernetes.io/a',
    ],
    [
      { object: itself({ 'x.k8s.io/b': '1', 'kubernetes.io/a': '1' }) },
      'nodes "n1" is forbidden: node "n1" is not allowed to set the following labels: kubernetes.io/a, x.k8s.io/b',
    ],
    [
      update(
        itself({ 'a.node-restriction.kubernetes.io/x': '2' }),
        itself({ 'a.node-restriction.kubernetes.io/x': '1' }),
      ),
      'nodes "n1" is forbidden: is not allowed to modify labels: a.node-restriction.kubernetes.io/x',
    ],
    [
      update(itself(), itself({ 'node-role.kubernetes.io/worker': '' })),
      'nodes "n1" is forbidden: is not allowed to modify labels: node-role.kubernetes.io/worker',
    ],
    [update(itself({ 'k8s.io/kept': 'x', own: 'y' }), itself({ 'k8s.io/kept': 'x' })), undefined],
    [
      update(itself({}, { taints: [] }), itself({}, { taints: [{ key: 'a', effect: 'NoSchedule' }] })),
      'nodes "n1" is forbidden: node "n1" is not allowed to modify taints',
    ],
    [{ object: itself({}, { taints: [{ key: 'a', effect: 'NoSchedule' }] }) }, undefined],
    [
      update(itself({}, { configSource: {} })),
      'nodes "n1" is forbidden: node "n1" is not allowed to update configSource to a new non-nil configSource',
    ],
    [update(itself({}), itself({}, { configSource: {} })), undefined],
  ])("decides on a request for the node's own Node object: %o", async (over, why) => {
    expect(await rejectionOf(nodes, { namespace: '', ...over })).toBe(why);
  });

  const claim = (over: object = {}, rest: object = {}) => ({
    metadata: { namespace: 'ns', name: 'd', labels: { a: 'b' }, ...rest },
    spec: { volumeName: 'v' },
    status: { phase: 'Bound', ...over },
  });
  const resized = { capacity: { storage: '2Gi' }, conditions: [{ type: 'Resizing', status: 'True' }] };
  it.each<[object, string | undefined]>([
    [{ ...status, object: claim(resized), previous: claim() }, undefined],
    [
      {
        ...status,
        object: claim({}, { resourceVersion: '' }),
        previous: claim({}, { resourceVersion: '5' }),
      },
      undefined,
    ],
    [
      { ...status, object: claim({ phase: 'Lost' }), previous: claim() },
      'is not allowed to update fields other than status.capacity and status.conditions: status',
    ],
    [
      { ...status, object: claim({}, { finalizers: [] }), previous: claim() },
      'is not allowed to update fields other than status.capacity and status.conditions: metadata',
    ],
    [{ operation: 'UPDATE', object: claim(), previous: claim() }, 'may only update PVC status'],
  ])('decides on a request for a claim: %o', async (over, why) => {
    const rejection = await rejectionOf(persistentVolumeClaims, { name: 'd', ...over });
    if (why === undefined) expect(rejection).toBeUndefined();
    else expect(rejection).toContain(why);
  });

  const token = (boundObjectRef?: object) => ({
    subresource: 'token',
    name: 'robot',
    object: { spec: { boundObjectRef } },
  });
  const toPod = (name: string, uid = `uid-${name}`) => token({ apiVersion: 'v1', kind: 'Pod', name, uid });
  it.each<[object, string | undefined]>([
    [toPod('mine'), undefined],
    [token(), 'node requested token not bound to a pod'],
    [
      token({ apiVersion: 'v1', kind: 'Secret', name: 's', uid: 'u' }),
      'node requested token not bound to a pod',
    ],
    [toPod('mine', ''), 'node requested token with a pod binding without a uid'],
    [
      toPod('mine', 'old'),
      'the UID in the bound object reference (old) does not match the UID in record. The object might have been deleted and then recreated',
    ],
    [toPod('far'), 'node requested token bound to a pod scheduled on a different node'],
    [toPod('absent'), 'pod "absent" not found'],
  ])('decides on a request for a token: %o', async (over, why) => {
    const rejection = await rejectionOf(serviceAccounts, over);
    if (why === undefined) expect(rejection).toBeUndefined();
    else expect(rejection).toContain(why);
  });

  const named = (name: string): ApiObject => ({ metadata: { name } });
  it.each<[object, object, string | undefined]>([
    [leases, { namespace: 'kube-node-lease', object: named('n1') }, undefined],
    [
      leases,
      { namespace: 'kube-node-lease', object: named('n2') },
      'can only access node lease with the same name as the requesting node',
    ],
    [leases, { namespace: 'kube-node-lease', operation: 'DELETE', name: 'n1' }, undefined],
    [
      leases,
      { namespace: 'ns', object: named('n1') },
      'can only access leases in the "kube-node-lease" system namespace',
    ],
    [csiNodes, { namespace: '', object: named('n1') }, undefined],
    [
      csiNodes,
      { namespace: '', object: named('n2') },
      'can only access CSINode with the same name as the requesting node',
    ],
    [services, { object: named('any') }, undefined],
  ])("decides on requests for the node's lease, its CSINode and other kinds", async (kind, over, why) => {
    const rejection = await rejectionOf(kind, over);
    if (why === undefined) expect(rejection).toBeUndefined();
    else expect(rejection).toContain(why);
  });

  it('ignores other users, and rejects all writes of a node without a name', async () => {
    const alice: UserInfo = { username: 'alice', groups: [] };
    expect(await rejectionOf(pods, { user: alice, object: { metadata: { name: 'web' } } })).toBeUndefined();
    const nameless: UserInfo = { username: 'system:node:', groups: ['system:nodes'] };
    expect(await rejectionOf(pods, { user: nameless, object: mirror() })).toContain(
      'could not determine node from user "system:node:"',
    );
  });
});
