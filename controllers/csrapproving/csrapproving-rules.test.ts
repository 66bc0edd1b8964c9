import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { clusterRoleBindings } from '../../api/groups/rbac-v1.ts';
import type { CertificateSigningRequestSpec } from '../../api/types/certificates-v1.ts';
import type { Fault } from '../../test/world/faults.ts';
import { certificateRequests } from '../../test/world/certificate-requests.ts';
import { requestPem } from '../../test/world/request-pem.ts';
import { shareWorld } from '../../test/world/use-world.ts';

const MINUTE = 60_000;
const NODE = '/O=system:nodes/CN=system:node:n1';
type Usages = NonNullable<CertificateSigningRequestSpec['usages']>;
const USAGES: Usages = ['digital signature', 'key encipherment', 'client auth'];

const nodePem = requestPem(NODE);

const shared = shareWorld({ controllers: ['csrapproving'] });
let count = 0;

/** Bootstrappers may have client certificates made, nodes renew their own, and everybody may ask. */
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

/** What nobody decides is asked about again and again. */
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
    /** Requests of the controller, of these in this test. */
    reviews: () => after('subjectaccessreviews'),
    writes: () => after(`/${name}`).filter((line) => !line.startsWith('GET')),
    strike: (verb: string, path: string, times: number, fault: Fault | (() => Fault)) => {
      let struck = 0;
      const heal = world.manager.faults.add((request) =>
        request.method === verb && request.path.includes(path) && struck++ < times
          ? typeof fault === 'function'
            ? fault()
            : fault
          : undefined,
      );
      return () => {
        heal();
        expect(struck).toBeGreaterThan(0);
      };
    },
  };
}

describe('rules of certificate approval', () => {
  it.each<[string, Usages]>([
    ['usages in another order', ['client auth', 'digital signature', 'key encipherment']],
    ['the usages an RSA key needs', USAGES],
  ])('approves %s', async (_what, usages) => {
    const { post, approved } = start();
    await post(undefined, nodePem, usages);
    await approved();
  });

  it.each<[string, Usages]>([
    ['a usage more', [...USAGES, 'server auth']],
    ['a usage less', ['digital signature', 'client auth']],
    ['server usages', ['digital signature', 'key encipherment', 'server auth']],
  ])('never approves %s', async (_what, usages) => {
    const { post, undecided, reviews } = start();
    await post(undefined, nodePem, usages);
    await undecided();
    // Nor is anybody asked about it.
    expect(reviews()).toEqual([]);
  });

  it.each([
    ['no organization', '/CN=system:node:n1'],
    ['an organization more', '/O=system:nodes/O=system:masters/CN=system:node:n1'],
    ['a common name that is no node', '/O=system:nodes/CN=n1'],
  ])('never approves %s', async (_what, subject) => {
    const { post, undecided, reviews } = start();
    await post(undefined, requestPem(subject));
    await undecided();
    expect(reviews()).toEqual([]);
  });

  it('a node that asks for itself is asked about as such first, and no further when that is allowed', async () => {
    const { world, post, approved, reviews, get } = start();
    await post(world.as('system:node:n1', 'system:nodes'));
    await approved();
    expect(reviews()).toHaveLength(1);
    expect((await get()).status?.conditions?.[0]?.message).toContain('self');
  });

  it('a node that asks for another is refused the renewal of its own', async () => {
    const { world, post, undecided, reviews } = start();
    await post(world.as('system:node:n2', 'system:nodes'));
    await undecided();
    expect(reviews().length).toBeGreaterThan(0);
  });

  it('the review is of the requester as the server knows it: user, groups, extra', async () => {
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

  it('a request that is approved already is asked about no more', async () => {
    const { world, post, decide, reviews, writes } = start();
    await post(world.as('system:node:n2', 'system:nodes'));
    await world.clock.advance(1_000);
    await decide('Approved');
    const before = reviews().length;
    await world.clock.advance(5 * MINUTE);
    expect(reviews()).toHaveLength(before);
    expect(writes()).toEqual([]);
  });

  it('denied in the moment of the approval it stays denied: the write names the version decided on', async () => {
    const { world, name, post, decide, strike, get } = start();
    let denied: Promise<unknown> | undefined;
    const done = strike('PUT', `/${name}/approval`, 1, () => (denied ??= decide('Denied')));
    await post();
    await world.clock.advance(2 * MINUTE);
    expect((await get()).status?.conditions?.map(({ type }) => type)).toEqual(['Denied']);
    done();
  });

  it('one made again under the name is judged by what it asks for itself', async () => {
    const { world, name, post, remove, strike, undecided } = start();
    let replaced: Promise<unknown> | undefined;
    const done = strike(
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

  it('one that is deleted while it is reviewed is no more work', async () => {
    const { world, post, remove, strike, writes } = start();
    let removed: Promise<unknown> | undefined;
    const done = strike('POST', 'subjectaccessreviews', 1, () => (removed ??= remove()));
    await post();
    await world.clock.advance(5 * MINUTE);
    expect(writes().length).toBeLessThanOrEqual(1);
    done();
  });

  it.each<[string, string, string, Fault]>([
    ['reviews time out', 'POST', 'subjectaccessreviews', 'unanswered'],
    ['reviews are forbidden', 'POST', 'subjectaccessreviews', { status: 403, reason: 'Forbidden' }],
    ['the approval meets a conflict', 'PUT', '/approval', { status: 409, reason: 'Conflict' }],
    ['the answer to the approval is lost', 'PUT', '/approval', 'unanswered'],
  ])('approves once, though at first %s', async (_what, verb, path, fault) => {
    const { post, approved, strike, world, get } = start();
    const done = strike(verb, path, 1, fault);
    await post();
    await approved();
    await world.clock.advance(2 * MINUTE);
    expect((await get()).status?.conditions).toHaveLength(1);
    done();
  });
});
