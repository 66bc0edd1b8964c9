import { describe, expect, it } from 'vitest';
import { compareVersions } from '../../api/extensions/version-order.ts';
import { cronJobs, namespaces, pods } from '../../api/groups/index.ts';
import { type AnyKind, createScheme } from '../../api/kinds/scheme.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { createInMemoryCaller } from '../http/in-memory.ts';
import { createApiServer } from '../server.ts';
import { createMemoryStorage } from '../storage/memory.ts';
import { stampResourceVersion } from '../storage/stamp.ts';

function serve(healthy = () => true, bootstrap = () => Promise.resolve()) {
  const server = createApiServer({
    scheme: createScheme(kubernetesVocabulary, [cronJobs, namespaces, pods] as unknown as readonly AnyKind[]),
    environment: { clock: createSimulatedClock(), random: createSeededRandom(1), log: silentLogger },
    storage: createMemoryStorage({ stamp: stampResourceVersion }),
    authenticators: [
      { name: 'all', authenticate: () => Promise.resolve({ user: { username: 'u', groups: [] } }) },
    ],
    authorizer: { name: 'all', authorize: () => Promise.resolve({ verdict: 'allow', reason: '' }) },
    healthChecks: [{ name: 'custom', healthy: healthy }],
    bootstrap: [bootstrap],
  });
  return { server, caller: createInMemoryCaller(server.handler) };
}

async function started() {
  const created = serve();
  await created.server.start();
  return created;
}

describe('discovery', () => {
  it('lists groups, versions and resources', async () => {
    const { caller } = await started();
    expect(await (await caller.request('GET', '/apis')).json()).toEqual({
      kind: 'APIGroupList',
      apiVersion: 'v1',
      groups: [
        {
          name: 'batch',
          versions: [{ groupVersion: 'batch/v1', version: 'v1' }],
          preferredVersion: { groupVersion: 'batch/v1', version: 'v1' },
        },
      ],
    });
    expect(await (await caller.request('GET', '/api/v1')).json()).toMatchObject({
      kind: 'APIResourceList',
      groupVersion: 'v1',
      resources: expect.arrayContaining([
        expect.objectContaining({ name: 'pods', kind: 'Pod', namespaced: true, shortNames: ['po'] }),
      ]) as unknown,
    });
  });

  it.each(['/', '/version'])(
    'returns %s as indented JSON, whatever media type is requested',
    async (path) => {
      const { caller } = await started();
      const accept = 'application/yaml, application/vnd.kubernetes.protobuf';
      const text = await (await caller.request('GET', path, { headers: { accept } })).text();
      expect(text).toBe(JSON.stringify(JSON.parse(text), undefined, 2));
    },
  );

  it.each(['v2', 'v2beta1'])(
    'returns everything in one document of version %s on request',
    async (version) => {
      const { caller } = await started();
      const type = `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
      const headers = { accept: `${type},application/json` };
      const response = await caller.request('GET', '/apis', { headers });
      expect(response.header('content-type')).toBe(type);
      expect(await response.json()).toMatchObject({
        kind: 'APIGroupDiscoveryList',
        apiVersion: `apidiscovery.k8s.io/${version}`,
        items: [{ metadata: { name: 'batch' }, versions: [{ version: 'v1', freshness: 'Current' }] }],
      });
      const again = { ...headers, 'if-none-match': response.header('etag') ?? '' };
      expect((await caller.request('GET', '/apis', { headers: again })).status).toBe(304);
    },
  );

  it('sorts stable versions before beta before alpha, newer ones first', () => {
    const versions = ['v1alpha1', 'v1', 'v1beta2', 'v10', 'v1beta1', 'v2'];
    expect(versions.sort(compareVersions)).toEqual(['v10', 'v2', 'v1', 'v1beta2', 'v1beta1', 'v1alpha1']);
  });
});

describe('OpenAPI', () => {
  it.each([
    [undefined, 'application/json'],
    [
      'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
      'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
    ],
  ])('returns version 2, requested as %s, with the media type %s', async (accept, type) => {
    const { caller } = await started();
    const headers = accept === undefined ? {} : { accept };
    const response = await caller.request('GET', '/openapi/v2', { headers });
    expect([response.status, response.header('content-type')]).toEqual([200, type]);
  });

  it('returns version 3 at a URL with a hash as immutable', async () => {
    const { caller } = await started();
    const { paths } = await (
      await caller.request('GET', '/openapi/v3')
    ).json<{ paths: Record<string, { serverRelativeURL: string }> }>();
    const response = await caller.request('GET', paths['apis/batch/v1']?.serverRelativeURL ?? '');
    expect(response.header('cache-control')).toBe('public, immutable');
    expect((await caller.request('GET', '/openapi/v3/apis/batch/v1?hash=OLD')).status).toBe(301);
  });

  describe('version 3 in protobuf', () => {
    const path = '/openapi/v3/apis/batch/v1';
    const requested = 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf';
    const returned = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf';

    it.each([requested, returned, `${requested},application/json;q=0.5`])(
      'is returned for %s',
      async (accept) => {
        const { caller } = await started();
        const response = await caller.request('GET', path, { headers: { accept } });
        expect([response.status, response.header('content-type')]).toEqual([200, returned]);
        expect((await response.bytes()).subarray(0, 7).toString()).toBe('\n\u00053.0.0');
      },
    );

    it('shares URL and entity tag with the JSON representation, and varies by Accept', async () => {
      const { caller } = await started();
      const json = await caller.request('GET', path);
      const hash = json.header('etag')?.replaceAll('"', '') ?? '';
      const headers = { accept: requested };
      const response = await caller.request('GET', `${path}?hash=${hash}`, { headers });
      expect(['etag', 'vary', 'cache-control'].map((name) => response.header(name))).toEqual([
        json.header('etag'),
        'Accept',
        'public, immutable',
      ]);
      const known = { ...headers, 'if-none-match': `"${hash}"` };
      expect((await caller.request('GET', path, { headers: known })).status).toBe(304);
      expect((await caller.request('GET', `${path}?hash=OLD`, { headers })).header('location')).toBe(
        `${path}?hash=${hash}`,
      );
    });

    it('is not available for the list of documents, which rejects other media types with 406', async () => {
      const { caller } = await started();
      const list = await caller.request('GET', '/openapi/v3', { headers: { accept: requested } });
      expect([list.status, list.header('content-type')]).toEqual([200, 'application/json']);
      const other = await caller.request('GET', path, { headers: { accept: 'application/yaml' } });
      expect(other.status).toBe(406);
    });
  });
});

describe('health', () => {
  it('is ready after startup, and not after shutdown', async () => {
    const { server, caller } = serve();
    const status = async (path: string) => (await caller.request('GET', path)).status;
    expect(await status('/readyz')).toBe(500);
    await server.start();
    expect(await status('/readyz')).toBe(200);
    await server.stop();
    expect(await status('/readyz')).toBe(500);
    expect(await status('/livez')).toBe(200);
  });

  it("reports each component under upstream's hook name once the component has started", async () => {
    const hooks = ['crd-informer-synced', 'rbac/bootstrap-roles', 'priority-and-fairness-filter'];
    const statuses = (): Promise<number[]> =>
      Promise.all(
        hooks.map(async (hook) => (await caller.request('GET', `/livez/poststarthook/${hook}`)).status),
      );
    let meanwhile: number[] = [];
    const { server, caller } = serve(undefined, async () => {
      meanwhile = await statuses();
    });
    expect(await statuses()).toEqual([500, 500, 404]);
    await server.start();
    expect(meanwhile).toEqual([200, 500, 404]);
    expect(await statuses()).toEqual([200, 200, 404]);
    expect(await (await caller.request('GET', '/readyz?verbose')).text()).toMatch(
      /^\[\+\]poststarthook\/scheduling\/bootstrap-system-priority-classes ok$/mu,
    );
  });

  it('reports a failed check without its reason, and can exclude a check', async () => {
    const { server, caller } = serve(() => {
      throw new Error('secret');
    });
    await server.start();
    const text = await (await caller.request('GET', '/livez')).text();
    expect(text).toContain('[-]custom failed: reason withheld\n');
    expect(text).not.toContain('secret');
    expect(await (await caller.request('GET', '/livez?exclude=custom')).text()).toBe('ok');
    expect((await caller.request('GET', '/livez/custom')).status).toBe(500);
    expect((await caller.request('GET', '/livez/ping')).status).toBe(200);
  });
});

describe('/metrics', () => {
  it('counts requests by verb and resource, never by client input', async () => {
    const { server, caller } = serve();
    await server.start();
    await (await caller.request('GET', '/api/v1/pods')).text();
    await (await caller.request('GET', '/api/v1/made-up')).text();
    const text = await (await caller.request('GET', '/metrics')).text();
    expect(text).toMatch(
      /^apiserver_request_total\{code="200",.*resource="pods",.*verb="LIST",version="v1"\} 1$/mu,
    );
    expect(text).not.toContain('made-up');
  });
});
