import { describe, expect, it } from 'vitest';
import { createInMemoryOutbound } from '../../base/http/in-memory-outbound.ts';
import type { OutboundPeer } from '../../base/http/outbound.ts';
import { startServer } from '../extensions/extensions.fixture.ts';
import type { NodeAgents } from './node-agents.ts';

const POD = '/api/v1/namespaces/default/pods/web-0';
const MERGE = { headers: { 'content-type': 'application/merge-patch+json' } };
const credential = { certificate: 'its certificate', key: 'its key' };

/**
 * Starts a server with `nodeAgents`, one node and a pod on it. `peerOf` returns the peer that a request is
 * sent to.
 */
async function startCluster(nodeAgents?: NodeAgents) {
  const peers: OutboundPeer[] = [];
  const outbound = createInMemoryOutbound(() => ({
    admit: (peer) => void peers.push(peer),
    handler: async () => ({ status: 200, headers: { 'content-type': 'text/plain' }, body: Buffer.from('') }),
  }));
  const { call } = await startServer({ outbound, nodeAgents });
  const spec = { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }] };
  await call('POST', '/api/v1/namespaces/default/pods', { metadata: { name: 'web-0' }, spec });
  await call(
    'PATCH',
    `${POD}/status`,
    { status: { podIP: '10.1.0.7', podIPs: [{ ip: '10.1.0.7' }] } },
    MERGE,
  );
  await call('POST', '/api/v1/nodes', { metadata: { name: 'n1' } });
  const addresses = [
    { type: 'Hostname', address: 'one' },
    { type: 'InternalIP', address: '10.0.0.1' },
  ];
  await call('PATCH', '/api/v1/nodes/n1/status', { status: { addresses } }, MERGE);
  const peerOf = async (path: string): Promise<OutboundPeer | undefined> => {
    const { status, text } = await call('GET', path);
    expect([status, text]).toEqual([200, '']);
    return peers.at(-1);
  };
  return { call, peerOf };
}

describe('the agent of a node', () => {
  it('is reached by its host name, unverified and without credential, by default', async () => {
    const { peerOf } = await startCluster();
    expect(await peerOf(`${POD}/log`)).toEqual({ origin: 'https://one:10250', insecureSkipVerify: true });
  });

  it('is reached at the first configured address type that the node has', async () => {
    const { peerOf } = await startCluster({ addressTypes: ['ExternalIP', 'InternalIP', 'Hostname'] });
    expect((await peerOf(`${POD}/log`))?.origin).toBe('https://10.0.0.1:10250');
  });

  it('is unreachable at an address of another type', async () => {
    const { call } = await startCluster({ addressTypes: ['ExternalIP'] });
    const { status, json } = await call('GET', `${POD}/log`);
    expect([status, json['message']]).toEqual([
      500,
      'no preferred addresses found; known addresses: [{Hostname one} {InternalIP 10.0.0.1}]',
    ]);
  });

  it('is verified and receives the client certificate, unlike pods and other ports of the node', async () => {
    const { peerOf } = await startCluster({
      addressTypes: ['InternalIP'],
      credential: () => credential,
      ca: () => 'its authorities',
    });
    const agent = { origin: 'https://10.0.0.1:10250', ca: 'its authorities', ...credential };
    expect(await peerOf(`${POD}/log`)).toEqual(agent);
    expect(await peerOf('/api/v1/nodes/n1/proxy/pods')).toEqual(agent);
    expect(await peerOf('/api/v1/nodes/n1:10250/proxy/pods')).toEqual(agent);
    const unverified = { insecureSkipVerify: true };
    expect(await peerOf('/api/v1/nodes/n1:9100/proxy/metrics')).toEqual({
      origin: 'http://10.0.0.1:9100',
      ...unverified,
    });
    expect(await peerOf(`${POD}:80/proxy/`)).toEqual({ origin: 'http://10.1.0.7:80', ...unverified });
  });
});
