import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { clusterRoleBindings } from '../../api/groups/rbac-v1.ts';
import type { CertificateSigningRequestSpec } from '../../api/types/certificates-v1.ts';
import type { Fault } from '../../test/world/faults.ts';
import { certificateRequests } from '../../test/world/certificate-requests.ts';
import { requestPem } from '../../test/world/request-pem.ts';
import { shareWorld } from '../../test/world/use-world.ts';
import { injectFirst } from '../first-requests.fixture.ts';

const MINUTE = 60_000;
const NODE = '/O=system:nodes/CN=system:node:n1';
type Usages = NonNullable<CertificateSigningRequestSpec['usages']>;
const USAGES: Usages = ['digital signature', 'key encipherment', 'client auth'];

const nodePem = requestPem(NODE);

const shared = shareWorld({ controllers: ['csrapproving'] });
let count = 0;

/**
 * Permits bootstrappers to get client certificates, nodes to renew their own, and every authenticated user to
 * create requests.
 */
beforeAll(async () => {
  const { client, vocabulary } = shared();
  const apiGroup = vocabulary.group('rbac.authorization');
  const role = `system:${vocabulary.group('certificates')}:certificatesigningrequests`;
  for (const [group, name] of [
    ['system:authenticated', 'system:node-bootstrapper'],
    ['system:bootstrappers', `${role}:nodeclient`],
    ['system:nodes', `${role}:selfnodeclient`],
  ] as const)
    await client.cluster(clusterRoleBindings).create({
      metadata: { name: `${group}-${name}`.replaceAll(':', '-') },
      roleRef: { apiGroup, kind: 'ClusterRole', name },
      subjects: [{ kind: 'Group', name: group, apiGroup }],
    });
});

/** Deletes the request of each test, because an undecided request is reviewed repeatedly. */
afterEach(async () => {
  const { requests } = certificateRequests(shared());
  for (const { metadata } of (await requests.list()).items) await requests.delete(metadata?.name ?? '');
});

function start() {
  const world = shared();
  const name = `csr-${++count}`;
  const requests = certificateRequests(world);
  const { seen } = world.manager.faults;
  const since = seen.length;
  const after = (wanted: string) => seen.slice(since).filter((line) => line.includes(wanted));
  return {
    world,
    name,
    post: (
      client = world.as('system:bootstrap:abcdef', 'system:bootstrappers'),
      pem = nodePem,
      usages = USAGES,
    ) => requests.post(name, pem, { signerName: world.vocabulary.signers.nodeClient, usages }, client),
    get: () => requests.get(name),
    decide: (type: 'Approved' | 'Denied') => requests.decide(name, type),
    remove: () => requests.requests.delete(name),
    approved: () =>
      world.eventually(async () => expect(await requests.conditions(name)).toEqual(['Approved']), 5 * MINUTE),
    async undecided() {
      await world.clock.advance(2 * MINUTE);
      expect(await requests.conditions(name)).toEqual([]);
    },
    /** Returns the access reviews that the controller has sent since the start of the test. */
    reviews: () => after('subjectaccessreviews'),
    writes: () => after(`/${name}`).filter((line) => !line.startsWith('GET')),
    inject: (verb: string, path: string, times: number, fault: Fault | (() => Fault)) =>
      injectFirst(world.manager, { verb, path, times }, fault),
  };
}

describe('rules of csrApprovingController', () => {
  it.each<[string, Usages]>([
    ['usages in another order', ['client auth', 'digital signature', 'key encipherment']],
    ['the usages that an RSA key needs', USAGES],
  ])('approve a request with %s', async (_what, usages) => {
    const { post, approved } = start();
    await post(undefined, nodePem, usages);
    await approved();
  });

  it.each<[string, Usages]>([
    ['an additional usage', [...USAGES, 'server auth']],
    ['a missing usage', ['digital signature', 'client auth']],
    ['server usages', ['digital signature', 'key encipherment', 'server auth']],
  ])('never approve a request with %s', async (_what, usages) => {
    const { post, undecided, reviews } = start();
    await post(undefined, nodePem, usages);
    await undecided();
    // The controller must not even send an access review.
    expect(reviews()).toEqual([]);
  });

  it.each([
    ['no organization', '/CN=system:node:n1'],
    ['an additional organization', '/O=system:nodes/O=system:masters/CN=system:node:n1'],
    ['a common name without the prefix of nodes', '/O=system:nodes/CN=n1'],
  ])('never approve a request whose subject has %s', async (_what, subject) => {
    const { post, undecided, reviews } = start();
    await post(undefined, requestPem(subject));
    await undecided();
    expect(reviews()).toEqual([]);
  });

  it("review a node's request for its own certificate as a renewal first, and end there if it is allowed", async () => {
    const { world, post, approved, reviews, get } = start();
    await post(world.as('system:node:n1', 'system:nodes'));
    await approved();
    expect(reviews()).toHaveLength(1);
    expect((await get()).status?.conditions?.[0]?.message).toContain('self');
  });

  it("do not approve a node's request for another node as a renewal", async () => {
    const { world, post, undecided, reviews } = start();
    await post(world.as('system:node:n2', 'system:nodes'));
    await undecided();
    expect(reviews().length).toBeGreaterThan(0);
  });

  it('review the user, groups and extra fields that the server recorded for the requester', async () => {
    const { world, post, approved } = start();
    const bodies: string[] = [];
    const heal = world.manager.faults.add(({ path, body }) => {
      if (path.includes('subjectaccessreviews')) bodies.push(String(body));
      return undefined;
    });
    await post();
    await approved();
    heal();
    expect(JSON.parse(bodies[0] ?? '{}')).toMatchObject({
      spec: {
        user: 'system:bootstrap:abcdef',
        groups: expect.arrayContaining(['system:bootstrappers', 'system:authenticated']),
        resourceAttributes: {
          group: world.vocabulary.group('certificates'),
          resource: 'certificatesigningrequests',
          verb: 'create',
          subresource: 'nodeclient',
        },
      },
    });
  });

  it('send no review for a request that is already approved', async () => {
    const { world, post, decide, reviews, writes } = start();
    await post(world.as('system:node:n2', 'system:nodes'));
    await world.clock.advance(1_000);
    await decide('Approved');
    const before = reviews().length;
    await world.clock.advance(5 * MINUTE);
    expect(reviews()).toHaveLength(before);
    expect(writes()).toEqual([]);
  });

  it('do not approve a request that is denied during the approval', async () => {
    const { world, name, post, decide, inject, get } = start();
    let denied: Promise<unknown> | undefined;
    const done = inject('PUT', `/${name}/approval`, 1, () => (denied ??= decide('Denied')));
    await post();
    await world.clock.advance(2 * MINUTE);
    expect((await get()).status?.conditions?.map(({ type }) => type)).toEqual(['Denied']);
    done();
  });

  it('apply to the content of a new request of the same name', async () => {
    const { world, name, post, remove, inject, undecided } = start();
    let replaced: Promise<unknown> | undefined;
    const done = inject(
      'PUT',
      `/${name}/approval`,
      1,
      () =>
        (replaced ??= remove().then(() =>
          post(world.as('somebody'), requestPem('/O=system:masters/CN=root')),
        )),
    );
    await post();
    await undecided();
    expect(replaced).toBeDefined();
    done();
  });

  it('end after a request is deleted during its review', async () => {
    const { world, post, remove, inject, writes } = start();
    let removed: Promise<unknown> | undefined;
    const done = inject('POST', 'subjectaccessreviews', 1, () => (removed ??= remove()));
    await post();
    await world.clock.advance(5 * MINUTE);
    expect(writes().length).toBeLessThanOrEqual(1);
    done();
  });

  it.each<[string, string, string, Fault]>([
    ['reviews time out', 'POST', 'subjectaccessreviews', 'unanswered'],
    ['reviews are forbidden', 'POST', 'subjectaccessreviews', { status: 403, reason: 'Forbidden' }],
    ['the approval conflicts', 'PUT', '/approval', { status: 409, reason: 'Conflict' }],
    ['the approval gets no response', 'PUT', '/approval', 'unanswered'],
  ])('approve a request once even if at first %s', async (_what, verb, path, fault) => {
    const { post, approved, inject, world, get } = start();
    const done = inject(verb, path, 1, fault);
    await post();
    await approved();
    await world.clock.advance(2 * MINUTE);
    expect((await get()).status?.conditions).toHaveLength(1);
    done();
  });
});
