import { describe, expect, it } from 'vitest';
import { builtinKinds } from '../../../api/groups/index.ts';
import { type AnyKind, createScheme } from '../../../api/kinds/scheme.ts';
import { kubernetesVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../../base/clock/simulated.ts';
import { silentLogger } from '../../../base/log/logger.ts';
import { createSeededRandom } from '../../../base/random/seeded.ts';
import { createApiServer } from '../../server.ts';
import { createMemoryStorage } from '../../storage/memory.ts';
import { stampResourceVersion } from '../../storage/stamp.ts';
import { createInMemoryCaller } from '../in-memory.ts';

const scheme = createScheme(kubernetesVocabulary, builtinKinds);

async function startServer(serves?: (kind: AnyKind) => boolean) {
  const server = createApiServer({
    scheme,
    environment: { clock: createSimulatedClock(), random: createSeededRandom(1), log: silentLogger },
    storage: createMemoryStorage({ stamp: stampResourceVersion }),
    authenticators: [
      {
        name: 'test',
        authenticate: ({ headers }) =>
          Promise.resolve({ user: { username: headers['user']?.[0] ?? 'admin', groups: [] } }),
      },
    ],
    authorizer: {
      name: 'test',
      authorize: ({ user }) =>
        Promise.resolve({ verdict: user.username === 'admin' ? 'allow' : 'no-opinion', reason: '' }),
    },
    ...(serves && { serves }),
  });
  await server.start();
  const caller = createInMemoryCaller(server.handler);
  const get = async (url: string, user = 'admin') => {
    const response = await caller.request('GET', url, { headers: { user: [user] } });
    return { status: response.status, text: await response.text(), warning: response.header('warning') };
  };
  const gauge = async () =>
    (await server.metrics.expose()).text
      .split('\n')
      .filter((line) => line.startsWith('apiserver_requested_deprecated_apis{'));
  return { get, gauge };
}

describe('a request for a deprecated version', () => {
  it('causes a warning that names the replacement', async () => {
    const { get } = await startServer();
    const { status, warning } = await get('/apis/batch/v1beta1/namespaces/a/cronjobs');
    expect(status).toBe(200);
    expect(warning).toBe(
      '299 - "batch/v1beta1 CronJob is deprecated in v1.21+, unavailable in v1.25+; use batch/v1 CronJob"',
    );
  });

  it('causes a warning without a replacement if there is none', async () => {
    const { get } = await startServer();
    expect((await get('/apis/node.k8s.io/v1beta1/runtimeclasses')).warning).toBe(
      '299 - "node.k8s.io/v1beta1 RuntimeClass is deprecated in v1.22+, unavailable in v1.25+"',
    );
  });

  it('sets its metric once', async () => {
    const { get, gauge } = await startServer();
    await get('/apis/batch/v1beta1/cronjobs');
    await get('/apis/batch/v1beta1/cronjobs');
    expect(await gauge()).toEqual([
      'apiserver_requested_deprecated_apis{group="batch",removed_release="1.25",resource="cronjobs",subresource="",version="v1beta1"} 1',
    ]);
  });

  it('causes no warning and sets no metric if it is forbidden', async () => {
    const { get, gauge } = await startServer();
    const { status, warning } = await get('/apis/batch/v1beta1/cronjobs', 'mallory');
    expect(status).toBe(403);
    expect(warning).toBeUndefined();
    expect(await gauge()).toEqual([]);
  });
});

describe('a request for a version that is not deprecated', () => {
  it('causes no warning', async () => {
    const { get, gauge } = await startServer();
    expect((await get('/apis/batch/v1/cronjobs')).warning).toBeUndefined();
    expect((await get('/apis/flowcontrol.apiserver.k8s.io/v1beta2/flowschemas')).warning).toBeUndefined();
    expect(await gauge()).toEqual([]);
  });
});

describe('an unserved version', () => {
  it('is absent from paths and discovery, while its objects remain', async () => {
    const { get } = await startServer(({ version }) => version !== 'v1beta1');
    expect((await get('/apis/batch/v1beta1/cronjobs')).status).toBe(404);
    expect((await get('/apis/batch/v1beta1')).status).toBe(404);
    expect((await get('/apis/batch/v1/cronjobs')).status).toBe(200);
    expect(JSON.parse((await get('/apis/batch')).text)).toMatchObject({ versions: [{ version: 'v1' }] });
  });

  it('may be the storage version', async () => {
    const { get } = await startServer(({ group, version }) => group !== 'batch' || version !== 'v1');
    expect((await get('/apis/batch/v1/cronjobs')).status).toBe(404);
    expect((await get('/apis/batch/v1beta1/cronjobs')).status).toBe(200);
  });
});

it('discovery prefers the most stable version of a group', async () => {
  const { get } = await startServer();
  expect(JSON.parse((await get('/apis/flowcontrol.apiserver.k8s.io')).text)).toMatchObject({
    preferredVersion: { version: 'v1beta2' },
    versions: [{ version: 'v1beta2' }, { version: 'v1beta1' }],
  });
  expect(JSON.parse((await get('/apis/discovery.k8s.io')).text)).toMatchObject({
    preferredVersion: { version: 'v1' },
  });
});
