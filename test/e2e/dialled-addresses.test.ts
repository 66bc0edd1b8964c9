import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../free-port.ts';
import { type Api, createApi } from './api.ts';
import { createWorkbench } from './process.ts';

const READY = /^ready https/m;
const MERGE = { 'content-type': 'application/merge-patch+json' };
const REGISTRATION = '/apis/admissionregistration.orch.io/v1/validatingwebhookconfigurations';

/** Nodes and webhooks whose address is that of the API server or of its machine. */
describe.each([
  ['without --allow-loopback-proxy', [], '--allow-loopback-proxy permits it'],
  ['with --allow-loopback-proxy', ['--allow-loopback-proxy'], 'connection refused'],
] as const)('the API server %s', (_name, flags, elsewhere) => {
  const bench = createWorkbench();
  let api: Api;
  let port: number;
  let free: number;

  beforeAll(async () => {
    const folder = join(bench.folder(), 'data');
    [port, free] = [await freePort(), await freePort()];
    const argv = ['apiserver', '--data-dir', folder, '--secure-port', String(port), ...flags];
    await bench.orch(argv).output(READY);
    api = createApi(join(folder, 'admin.conf'));
    await api.call('POST', '/api/v1/nodes', { body: { metadata: { name: 'n1' } } });
  });
  afterAll(async () => {
    await api?.close();
    await bench.close();
  });

  const proxied = async (address: string, agentPort: number): Promise<string> => {
    const addresses = [{ type: 'Hostname', address }];
    const status = { addresses, daemonEndpoints: { kubeletEndpoint: { Port: agentPort } } };
    await api.call('PATCH', '/api/v1/nodes/n1/status', { headers: MERGE, body: { status } });
    const answer = await api.call('GET', '/api/v1/nodes/n1/proxy/api/v1/namespaces/orch-system/secrets');
    expect(answer.status).toBeGreaterThanOrEqual(400);
    return answer.text;
  };

  it.each(['127.0.0.1', 'localhost', '127.1', '::1', '::ffff:127.0.0.1', '0.0.0.0'])(
    'never calls itself if a node claims %s',
    async (address) => {
      expect(await proxied(address, port)).toContain('address not allowed');
    },
  );

  it.each(['127.0.0.1', 'localhost'])('returns for %s on another port: %s', async (address) => {
    expect(await proxied(address, free)).toContain(elsewhere);
  });

  it('never calls itself or a forbidden address as a webhook', async () => {
    const hook = (url: string): object => ({
      metadata: { name: 'hook' },
      webhooks: [
        {
          name: 'hook.example.com',
          clientConfig: { url },
          rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    });
    const refusalWith = async (url: string): Promise<string> => {
      await api.call('DELETE', `${REGISTRATION}/hook`);
      await api.call('POST', REGISTRATION, { body: hook(url) });
      const body = { metadata: { name: 'c' } };
      return (await api.call('POST', '/api/v1/namespaces/default/configmaps', { body })).text;
    };
    expect(await refusalWith(`https://localhost:${free}`)).toContain(elsewhere);
    expect(await refusalWith(`https://127.0.0.1:${port}`)).toContain('is this server itself');
  });
});
