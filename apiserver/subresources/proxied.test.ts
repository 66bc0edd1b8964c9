import { describe, expect, it } from 'vitest';
import { createInMemoryOutbound } from '../../base/http/in-memory-outbound.ts';
import type { HttpRequest } from '../../base/http/message.ts';
import { type DialPolicy, createDialPolicy } from '../../base/net/dial-policy.ts';
import { startServer } from '../extensions/extensions.fixture.ts';

const DEFAULT = '/api/v1/namespaces/default';
const MERGE = { headers: { 'content-type': 'application/merge-patch+json' } };

/** Starts a server and a network in which the servers at `origins` echo each request. */
async function startNetwork(...origins: readonly string[]) {
  return startNetworkWith(undefined, ...origins);
}

async function startNetworkWith(dialPolicy: DialPolicy | undefined, ...origins: readonly string[]) {
  const asked: HttpRequest[] = [];
  const outbound = createInMemoryOutbound((origin) =>
    origins.includes(origin)
      ? {
          handler: async (request) => {
            asked.push(request);
            if (request.url === '/page') {
              const headers = { 'content-type': 'text/html; charset=utf-8', 'content-length': '23' };
              return { status: 200, headers, body: Buffer.from('<a href="/next">é</a>') };
            }
            const redirects = request.url.startsWith('/old');
            return {
              status: redirects ? 302 : 200,
              headers: redirects ? { location: '/new' } : { 'content-type': 'text/plain' },
              body: Buffer.from(`${request.method} ${origin}${request.url}`),
            };
          },
        }
      : undefined,
  );
  const { call } = await startServer({ outbound, ...(dialPolicy && { dialPolicy }) });
  const must = async (...args: Parameters<typeof call>): Promise<void> => {
    const { status, text } = await call(...args);
    if (status > 201) throw new Error(text);
  };
  const containers = [{ name: 'c', image: 'i', ports: [{ containerPort: 8080 }] }];
  const addPod = async (name: string, nodeName?: string): Promise<void> => {
    await must('POST', `${DEFAULT}/pods`, { metadata: { name }, spec: { containers, nodeName } });
    const podIPs = [{ ip: '10.1.0.7' }];
    await must('PATCH', `${DEFAULT}/pods/${name}/status`, { status: { podIP: '10.1.0.7', podIPs } }, MERGE);
  };
  const addNode = async (): Promise<void> => {
    await must('POST', '/api/v1/nodes', { metadata: { name: 'n1' } });
    const status = {
      addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: 10_333 } },
    };
    await must('PATCH', '/api/v1/nodes/n1/status', { status }, MERGE);
  };
  return { call, must, asked, addPod, addNode };
}

describe('the log of a pod', () => {
  it('is empty while the pod is not on a node', async () => {
    const { call, addPod } = await startNetwork();
    await addPod('web-0');
    expect(await call('GET', `${DEFAULT}/pods/web-0/log`)).toMatchObject({ status: 204, text: '' });
    expect((await call('GET', `${DEFAULT}/pods/gone/log`)).status).toBe(404);
    expect((await call('POST', `${DEFAULT}/pods/web-0/log`)).status).toBe(405);
  });

  it("is requested from the node's agent", async () => {
    const { call, addPod, addNode } = await startNetwork('https://10.0.0.1:10333');
    await addPod('web-0', 'n1');
    expect((await call('GET', `${DEFAULT}/pods/web-0/log`)).json['message']).toBe('nodes "n1" not found');
    await addNode();
    const { status, text } = await call(
      'GET',
      `${DEFAULT}/pods/web-0/log?follow=true&tailLines=5&container=c`,
    );
    expect([status, text]).toEqual([
      200,
      'GET https://10.0.0.1:10333/containerLogs/default/web-0/c?follow=true&tailLines=5',
    ]);
  });

  it.each([
    ['tailLines=-1', 'tailLines: Invalid value: -1: must be greater than or equal to 0'],
    ['limitBytes=0', 'limitBytes: Invalid value: 0: must be greater than 0'],
    ['sinceSeconds=0', 'sinceSeconds: Invalid value: 0: must be greater than 0'],
  ])('with %s is rejected', async (query, message) => {
    const { call, addPod } = await startNetwork();
    await addPod('web-0');
    const { status, json } = await call('GET', `${DEFAULT}/pods/web-0/log?${query}`);
    expect([status, json['message']]).toEqual([422, `PodLogOptions "web-0" is invalid: ${message}`]);
  });

  it('rejects a non-numeric option', async () => {
    const { call, addPod } = await startNetwork();
    await addPod('web-0');
    expect((await call('GET', `${DEFAULT}/pods/web-0/log?tailLines=x`)).status).toBe(400);
  });

  it('is listed in discovery as a read of pods', async () => {
    const { call } = await startNetwork();
    const { json } = await call('GET', '/api/v1');
    expect(json['resources']).toContainEqual({
      name: 'pods/log',
      singularName: '',
      namespaced: true,
      kind: 'Pod',
      verbs: ['get'],
    });
  });
});

describe('a proxy', () => {
  it.each([
    ['web-0', 'http://10.1.0.7:8080'],
    ['web-0:9000', 'http://10.1.0.7:9000'],
    ['https:web-0:9443', 'https://10.1.0.7:9443'],
  ])('to the pod %s reaches %s by every method, with path, query and body', async (id, origin) => {
    const { call, asked, addPod } = await startNetwork(origin);
    await addPod('web-0');
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const { status, text } = await call(method, `${DEFAULT}/pods/${id}/proxy/a%2Fb/proxy/c?d=e`);
      expect([status, text]).toEqual([200, `${method} ${origin}/a%2Fb/proxy/c?d=e`]);
    }
    expect(asked[0]?.headers['x-forwarded-uri']).toEqual([`${DEFAULT}/pods/${id}/proxy/a%2Fb/proxy/c`]);
  });

  it('never forwards credentials to a pod', async () => {
    const { call, asked, addPod } = await startNetwork('http://10.1.0.7:8080');
    await addPod('web-0');
    const headers = { authorization: 'Bearer secret', cookie: 'a=b' };
    await call('GET', `${DEFAULT}/pods/web-0/proxy/`, undefined, { headers });
    expect(asked[0]?.headers['authorization']).toBeUndefined();
    expect(asked[0]?.headers['cookie']).toEqual(['a=b']);
  });

  it("redirects its root and rewrites redirects of a pod to paths below the proxy's path", async () => {
    const { call, addPod } = await startNetwork('http://10.1.0.7:8080');
    await addPod('web-0');
    const root = await call('GET', `${DEFAULT}/pods/web-0/proxy?a=b`);
    expect([root.status, root.header('location')]).toEqual([301, `${DEFAULT}/pods/web-0/proxy/?a=b`]);
    const old = await call('GET', `${DEFAULT}/pods/web-0/proxy/old`);
    expect([old.status, old.header('location')]).toEqual([302, `${DEFAULT}/pods/web-0/proxy/new`]);
  });

  it("rewrites links of a page to paths below the proxy's path", async () => {
    const { call, addPod } = await startNetwork('http://10.1.0.7:8080');
    await addPod('web-0');
    const page = await call('GET', `${DEFAULT}/pods/web-0/proxy/page`);
    expect(page.text).toBe(`<a href="${DEFAULT}/pods/web-0/proxy/next">é</a>`);
    expect(page.header('content-length')).toBeUndefined();
  });

  it('to a node reaches its agent', async () => {
    const { call, addNode } = await startNetwork('https://10.0.0.1:10333');
    await addNode();
    const { text } = await call('GET', '/api/v1/nodes/n1/proxy/metrics');
    expect(text).toBe('GET https://10.0.0.1:10333/metrics');
  });

  it("to a service reaches one of its pods, and no address that is not its pod's", async () => {
    const { call, must, addPod } = await startNetwork('http://10.1.0.7:8080', 'http://10.9.9.9:8080');
    await addPod('web-0');
    await must('POST', `${DEFAULT}/services`, { metadata: { name: 'web' }, spec: { ports: [{ port: 80 }] } });
    const address = (ip: string, name: string): object => ({ ip, targetRef: { kind: 'Pod', name } });
    await must('POST', `${DEFAULT}/endpoints`, {
      metadata: { name: 'web' },
      subsets: [
        { addresses: [address('10.1.0.7', 'web-0'), { ip: '10.9.9.9' }], ports: [{ port: 8080 }] },
        { addresses: [address('10.9.9.9', 'web-0')], ports: [{ port: 8080 }] },
      ],
    });
    for (let i = 0; i < 10; i++) {
      const { text } = await call('GET', `${DEFAULT}/services/web:80/proxy/x`);
      expect(text).toBe('GET http://10.1.0.7:8080/x');
    }
  });

  it('returns 503 if the pod is unreachable', async () => {
    const { call, addPod } = await startNetwork();
    await addPod('web-0');
    const { status, json } = await call('GET', `${DEFAULT}/pods/web-0/proxy/`);
    expect([status, json['message']]).toEqual([
      503,
      'error trying to reach service: connection failed to http://10.1.0.7:8080',
    ]);
  });
});

describe('a client-controlled address', () => {
  const REFUSED = [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::7f00:1',
    '::1%lo',
    '0.0.0.0',
    '::',
    '169.254.169.254',
    '::ffff:169.254.169.254',
    'fe80::1%eth0',
    '224.0.0.1',
    '255.255.255.255',
    '10.9.9.9',
    '::ffff:10.9.9.9',
  ];
  const policy = createDialPolicy({ own: (port) => ([6443, 80].includes(port) ? ['10.9.9.9'] : []) });

  /** Starts a server with node and pod, so that only the policy can cause a rejection. */
  async function startReachable() {
    const network = await startNetworkWith(policy);
    const node = async (address: string, port: number): Promise<void> => {
      const addresses = [{ type: 'InternalIP', address }];
      const status = { addresses, daemonEndpoints: { kubeletEndpoint: { Port: port } } };
      await network.must('PATCH', '/api/v1/nodes/n1/status', { status }, MERGE);
    };
    await network.must('POST', '/api/v1/nodes', { metadata: { name: 'n1' } });
    await network.addPod('web-0', 'n1');
    return { ...network, node };
  }

  it.each(REFUSED)('is rejected for a node by proxies, logs and streams: %s', async (address) => {
    const { call, node } = await startReachable();
    await node(address, 6443);
    const upgrade = { headers: { connection: 'Upgrade', upgrade: 'SPDY/3.1' } };
    const answers = [
      await call('GET', '/api/v1/nodes/n1/proxy/api'),
      await call('GET', '/api/v1/nodes/https:n1:6443/proxy/api'),
      await call('GET', `${DEFAULT}/pods/web-0/log`),
      await call('POST', `${DEFAULT}/pods/web-0/exec?command=id`, undefined, upgrade),
      await call('POST', `${DEFAULT}/pods/web-0/attach`, undefined, upgrade),
      await call('POST', `${DEFAULT}/pods/web-0/portforward?ports=1`, undefined, upgrade),
    ];
    for (const { status, json } of answers)
      expect([status, json['message']]).toEqual([400, expect.stringMatching(/^address not allowed/)]);
  });

  it.each(REFUSED)('is rejected for a pod by its status or by the proxy: %s', async (podIP) => {
    const { call } = await startReachable();
    const given = { status: { podIP, podIPs: [{ ip: podIP }] } };
    const { status } = await call('PATCH', `${DEFAULT}/pods/web-0/status`, given, MERGE);
    if (status !== 200) return;
    const answer = await call('GET', `${DEFAULT}/pods/web-0:6443/proxy/x`);
    expect([answer.status, answer.json['message']]).toEqual([
      400,
      expect.stringMatching(/^address not allowed/),
    ]);
  });

  it('is dialled if it belongs to another host', async () => {
    const { call, node } = await startReachable();
    await node('10.9.9.8', 6443);
    expect((await call('GET', '/api/v1/nodes/n1/proxy/api')).status).toBe(503);
  });
});
