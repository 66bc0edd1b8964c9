import { describe, expect, it } from 'vitest';
import { clusterRoleBindings } from '../../api/groups/rbac-v1.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { fromTime } from '../../base/clock/clock.ts';
import { certificateRequests } from '../../test/world/certificate-requests.ts';
import { requestPem } from '../../test/world/request-pem.ts';
import { useWorld } from '../../test/world/use-world.ts';
import type { World, WorldOptions } from '../../test/world/world.ts';
import { withFastClock } from '../fast-clock.fixture.ts';
import { csrApprovingController } from './csrapproving.ts';

const HOUR = 3_600_000;
const NODE = '/O=system:nodes/CN=system:node:n1';

const nodeRequest = requestPem(NODE);

async function start(options: WorldOptions = {}) {
  const world = await useWorld({ controllers: ['csrapproving'], ...options });
  return {
    ...world,
    ...certificateRequests(world),
    signerName: world.vocabulary.signers.nodeClient,
    bootstrapper: world.as('system:bootstrap:abcdef', 'system:bootstrappers'),
    node: world.as('system:node:n1', 'system:nodes'),
  };
}

/** Permits a group to create certificate requests, and to be approved through one subresource. */
async function allow({ client, vocabulary }: World, group: string, role: 'nodeclient' | 'selfnodeclient') {
  const apiGroup = vocabulary.group('rbac.authorization');
  const subjects = [{ kind: 'Group', name: group, apiGroup }];
  const bind = (name: string, roleName: string) =>
    client.cluster(clusterRoleBindings).create({
      metadata: { name },
      roleRef: { apiGroup, kind: 'ClusterRole', name: roleName },
      subjects,
    });
  await bind(`may-ask-${role}`, 'system:node-bootstrapper');
  return bind(role, `system:${vocabulary.group('certificates')}:certificatesigningrequests:${role}`);
}

describe('csrApprovingController', () => {
  it('approves a kubelet client certificate if its requester is permitted to have one', async () => {
    const world = await start();
    await allow(world, 'system:bootstrappers', 'nodeclient');
    await world.post('n1', nodeRequest, { signerName: world.signerName }, world.bootstrapper);
    const condition = await world.eventually(async () => {
      const [found] = (await world.get('n1')).status?.conditions ?? [];
      expect(found).toBeDefined();
      return found;
    });
    expect(condition).toMatchObject({
      type: 'Approved',
      status: 'True',
      reason: 'AutoApproved',
      message: 'Auto approving nodeagent client certificate after SubjectAccessReview.',
    });
  });

  it('leaves the approval time to the server if its local clock is wrong', async () => {
    const world = await start({ definitions: () => [withFastClock(csrApprovingController, -HOUR)] });
    await allow(world, 'system:bootstrappers', 'nodeclient');
    await world.post('n1', nodeRequest, { signerName: world.signerName }, world.bootstrapper);
    const begunMs = world.clock.now();
    await world.eventually(async () => {
      const [found] = (await world.get('n1')).status?.conditions ?? [];
      expect(fromTime(found?.lastUpdateTime)).toBeGreaterThan(begunMs - 1_000);
    });
  });

  it('approves the renewal of a node certificate with the message of the vocabulary', async () => {
    const world = await start({ vocabulary: kubernetesVocabulary });
    await allow(world, 'system:nodes', 'selfnodeclient');
    await world.post('n1', nodeRequest, { signerName: world.signerName }, world.node);
    await world.eventually(async () =>
      expect((await world.get('n1')).status?.conditions?.[0]?.message).toBe(
        'Auto approving self kubelet client certificate after SubjectAccessReview.',
      ),
    );
  });

  it('does not approve a request until its requester has the permission', async () => {
    const world = await start();
    await allow(world, 'system:bootstrappers', 'selfnodeclient');
    await world.post('n2', nodeRequest, { signerName: world.signerName }, world.bootstrapper);
    const before = world.manager.faults.seen.length;
    await world.clock.advance(HOUR);
    expect(await world.conditions('n2')).toEqual([]);
    expect(world.manager.faults.seen.length - before).toBeLessThan(200);
    await allowOnly(world);
    await world.eventually(async () => expect(await world.conditions('n2')).toEqual(['Approved']), 2 * HOUR);
  });

  it.each([
    ['another signer', NODE, undefined, 'apiserverClient', undefined],
    ['another organization', '/O=dev/CN=system:node:n1', undefined, 'nodeClient', undefined],
    ['alternative names', NODE, 'DNS:x', 'nodeClient', undefined],
    ['other usages', NODE, undefined, 'nodeClient', ['client auth']],
  ] as const)(
    'never approves a request with %s, even of an administrator',
    async (_what, subject, names, signer, usages) => {
      const world = await start();
      const admin = world.as('root', 'system:masters');
      await world.post(
        'r',
        requestPem(subject, names),
        { signerName: world.vocabulary.signers[signer], ...(usages ? { usages: [...usages] } : {}) },
        admin,
      );
      await world.clock.advance(HOUR);
      expect(await world.conditions('r')).toEqual([]);
    },
  );

  it('never writes a request that a user has decided', async () => {
    const world = await start();
    await allow(world, 'system:bootstrappers', 'nodeclient');
    const heal = world.manager.faults.add(({ path }) =>
      path.includes('subjectaccessreviews') ? { status: 500, reason: 'InternalError' } : undefined,
    );
    await world.post('n1', nodeRequest, { signerName: world.signerName }, world.bootstrapper);
    await world.clock.advance(1_000);
    await world.decide('n1', 'Denied');
    heal();
    await world.clock.advance(HOUR);
    expect(await world.conditions('n1')).toEqual(['Denied']);
  });

  it('retries a review that fails', async () => {
    const world = await start();
    await allow(world, 'system:bootstrappers', 'nodeclient');
    const heal = world.manager.faults.add(({ path }) =>
      path.includes('subjectaccessreviews') ? 'refused' : undefined,
    );
    await world.post('n1', nodeRequest, { signerName: world.signerName }, world.bootstrapper);
    await world.clock.advance(10_000);
    expect(await world.conditions('n1')).toEqual([]);
    heal();
    await world.eventually(async () => expect(await world.conditions('n1')).toEqual(['Approved']));
  });

  it('writes only conditions, through the approval subresource', async () => {
    const world = await start();
    await allow(world, 'system:bootstrappers', 'nodeclient');
    const posted = await world.post('n1', nodeRequest, { signerName: world.signerName }, world.bootstrapper);
    await world.eventually(async () => expect(await world.conditions('n1')).toEqual(['Approved']));
    const writes = world.manager.faults.seen.filter((line) => line.startsWith('PUT'));
    expect(writes).toEqual([expect.stringMatching(/\/certificatesigningrequests\/n1\/approval(\?|$)/)]);
    const now = await world.get('n1');
    expect(now.spec).toEqual(posted.spec);
    expect(now.status?.certificate).toBeUndefined();
  });
});

/** Grants bootstrappers the permission that they lack. */
const allowOnly = async ({ client, vocabulary }: World) => {
  const apiGroup = vocabulary.group('rbac.authorization');
  await client.cluster(clusterRoleBindings).create({
    metadata: { name: 'late' },
    roleRef: {
      apiGroup,
      kind: 'ClusterRole',
      name: `system:${vocabulary.group('certificates')}:certificatesigningrequests:nodeclient`,
    },
    subjects: [{ kind: 'Group', name: 'system:bootstrappers', apiGroup }],
  });
};
