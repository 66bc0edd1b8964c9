import { beforeEach, describe, expect, it } from 'vitest';
import { allow, rule, startWebhooks, webhook } from '../admission/webhook/webhook.fixture.ts';

const PODS = '/api/v1/namespaces/default/pods';
const pod = (spec: object = {}): object => ({
  metadata: { name: 'web-0' },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});

type Started = Awaited<ReturnType<typeof startWebhooks>>;
let started: Started;
const message = async (method: string, url: string, headers: Record<string, string> = {}) => {
  const { status, json } = await started.call(method, url, undefined, { headers });
  return [status, json['message']];
};

beforeEach(async () => {
  started = await startWebhooks({ hook: allow });
});

describe('a connection to a pod', () => {
  it.each(['exec', 'attach', 'portforward'])(
    'by %s is rejected while the pod is not on a node',
    async (what) => {
      await started.call('POST', PODS, pod());
      const refusal = [400, 'pod web-0 does not have a host assigned'];
      expect(await message('POST', `${PODS}/web-0/${what}`)).toEqual(refusal);
      expect(await message('GET', `${PODS}/web-0/${what}`)).toEqual(refusal);
      expect(await message('POST', `${PODS}/gone/${what}`)).toEqual([404, 'pods "gone" not found']);
      for (const method of ['DELETE', 'HEAD', 'OPTIONS'])
        expect((await started.call(method, `${PODS}/web-0/${what}`)).status).toBe(405);
    },
  );

  it.each(['exec', 'proxy/', 'portforward'])(
    'by %s rejects a dry run, even for a missing pod',
    async (what) => {
      for (const path of [`${PODS}/gone/${what}?dryRun=All`, `${PODS}/gone/${what}?dryRun`])
        expect(await message('POST', path)).toEqual([400, 'dryRun is not supported']);
      expect((await message('GET', `${PODS}/gone/log?dryRun=All`))[0]).toBe(404);
    },
  );

  it('requires an existing container, and its name if there are several', async () => {
    await started.call(
      'POST',
      PODS,
      pod({
        containers: [
          { name: 'a', image: 'i' },
          { name: 'b', image: 'i' },
        ],
        initContainers: [{ name: 'z', image: 'i' }],
      }),
    );
    expect(await message('POST', `${PODS}/web-0/exec?command=sh`)).toEqual([
      400,
      'a container name must be specified for pod web-0, choose one of: [z a b]',
    ]);
    expect(await message('POST', `${PODS}/web-0/exec?container=x`)).toEqual([
      400,
      'container x is not valid for pod web-0',
    ]);
    expect((await message('POST', `${PODS}/web-0/exec?container=b`))[1]).toContain('host assigned');
  });

  it('is opened to the node and requires a protocol upgrade', async () => {
    await started.call('POST', PODS, pod({ nodeName: 'n1' }));
    expect(await message('POST', `${PODS}/web-0/exec`)).toEqual([404, 'nodes "n1" not found']);
    await started.call('POST', '/api/v1/nodes', { metadata: { name: 'n1' } });
    expect(await message('POST', `${PODS}/web-0/exec`)).toEqual([
      500,
      'no preferred addresses found; known addresses: []',
    ]);
    const addresses = [{ type: 'InternalIP', address: '10.0.0.1' }];
    const patch = {
      body: { status: { addresses } },
      headers: { 'content-type': 'application/merge-patch+json' },
    };
    await started.caller.request('PATCH', '/api/v1/nodes/n1/status', patch);
    expect(await message('POST', `${PODS}/web-0/exec`)).toEqual([400, 'Upgrade request required']);
    expect(await message('POST', `${PODS}/web-0/exec`, { connection: 'Upgrade' })).toEqual([
      400,
      'Upgrade request required',
    ]);
    const upgrade = { connection: 'Upgrade', upgrade: 'SPDY/3.1' };
    expect(await message('POST', `${PODS}/web-0/exec`, upgrade)).toEqual([
      500,
      'error dialing backend: this server has no transport for outbound requests',
    ]);
  });

  it('is sent to webhooks with all its options', async () => {
    await started.call('POST', PODS, pod());
    await started.configure(
      'Validating',
      'v',
      webhook('hook', { rules: [rule(['pods/*'], { operations: ['CONNECT'] })] }),
    );
    await started.call('POST', `${PODS}/web-0/exec?command=sh&command=-c&stdin=true&tty=false&container=c`);
    await started.call('POST', `${PODS}/web-0/portforward?ports=80,443&ports=9`);
    await started.call('GET', `${PODS}/web-0/proxy/a/b?c=d`);
    expect(started.reviews.map(({ request }) => request)).toMatchObject([
      {
        operation: 'CONNECT',
        kind: { group: '', version: 'v1', kind: 'PodExecOptions' },
        resource: { resource: 'pods' },
        subResource: 'exec',
        name: 'web-0',
        namespace: 'default',
        object: {
          kind: 'PodExecOptions',
          apiVersion: 'v1',
          command: ['sh', '-c'],
          stdin: true,
          container: 'c',
        },
        oldObject: null,
        options: null,
      },
      { object: { kind: 'PodPortForwardOptions', ports: [80, 443, 9] } },
      { object: { kind: 'PodProxyOptions', path: '/a/b' } },
    ]);
  });

  it('is rejected by a webhook before the pod is looked up', async () => {
    await started.configure('Validating', 'v', webhook('nowhere', { rules: [rule(['pods/exec'])] }));
    const [status, text] = await message('POST', `${PODS}/gone/exec`);
    expect([status, text]).toEqual([500, expect.stringContaining('failed calling webhook') as string]);
  });
});

describe('a proxy', () => {
  it.each([
    ['nodes/gone', 404, 'nodes "gone" not found'],
    ['namespaces/default/pods/gone:80', 404, 'pods "gone" not found'],
    ['namespaces/default/pods/ftp:web-0:80', 400, 'invalid pod request "ftp:web-0:80"'],
    ['namespaces/default/pods/web-0', 400, 'address not allowed'],
    ['namespaces/default/services/gone', 404, 'services "gone" not found'],
    ['namespaces/default/services/https:web:443', 503, 'no endpoints available for service "https:web:443"'],
  ])('to %s returns %i %s for every method', async (path, status, text) => {
    await started.call('POST', PODS, pod());
    await started.call('POST', '/api/v1/namespaces/default/services', {
      metadata: { name: 'web' },
      spec: { clusterIP: 'None', ports: [{ port: 443 }] },
    });
    await started.call('POST', '/api/v1/namespaces/default/endpoints', { metadata: { name: 'web' } });
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      expect(await message(method, `/api/v1/${path}/proxy/any/path`)).toEqual([status, text]);
    expect((await started.call('HEAD', `/api/v1/${path}/proxy/any/path`)).status).toBe(status);
  });
});
