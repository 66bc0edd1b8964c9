import { describe, expect, it } from 'vitest';
import { endpointSlices, endpoints } from '../../api/groups/index.ts';
import type { AnyKind } from '../../api/kinds/scheme.ts';
import type { Endpoints } from '../../api/types/core-v1-service.ts';
import type { EndpointSlice } from '../../api/types/discovery-v1.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { deleting, startFixture, writing } from '../registry/registry.fixture.ts';
import { createApiEndpoints, isReachable } from './api-endpoints.ts';
import { createApiServers } from './api-servers.ts';

async function start(host: string) {
  const fixture = await startFixture();
  let address: { host: string; port: number } | undefined = { host, port: 6443 };
  const make = () =>
    createApiEndpoints({
      registry: fixture.registry,
      vocabulary: kubernetesVocabulary,
      clock: fixture.clock,
      log: silentLogger,
      address: () => address,
    });
  const read = async (kind: AnyKind) => (await fixture.of(kind).get('default', 'kubernetes', '')).object;
  return { ...fixture, make, read, move: (to: typeof address) => void (address = to) };
}

describe('endpoints of the Service for the API', () => {
  it('contain the server, as Endpoints and as an EndpointSlice that is not mirrored from the Endpoints', async () => {
    const { make, read } = await start('10.1.0.1');
    await make().start();
    expect(await read(endpoints)).toMatchObject({
      metadata: { labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
      subsets: [{ addresses: [{ ip: '10.1.0.1' }], ports: [{ name: 'https', port: 6443, protocol: 'TCP' }] }],
    });
    expect(await read(endpointSlices)).toMatchObject({
      metadata: { labels: { 'kubernetes.io/service-name': 'kubernetes' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.1.0.1'], conditions: { ready: true } }],
    });
  });

  it('follow the server to a new address, even of the other address family', async () => {
    const { make, read, move } = await start('10.1.0.1');
    await make().start();
    move({ host: '2001:db8::1', port: 443 });
    await make().start();
    expect(await read(endpoints)).toMatchObject({ subsets: [{ addresses: [{ ip: '2001:db8::1' }] }] });
    expect(await read(endpointSlices)).toMatchObject({ addressType: 'IPv6', ports: [{ port: 443 }] });
  });

  it('are repaired within ten seconds, and not written while nothing has changed', async () => {
    const { make, read, of, clock } = await start('10.1.0.1');
    const kept = make();
    await kept.start();
    const before = (await read(endpointSlices)).metadata?.resourceVersion;
    await of(endpoints).delete('default', 'kubernetes', deleting(), writing());
    await clock.advance(10_000);
    expect(await read(endpoints)).toMatchObject({ subsets: [{ addresses: [{ ip: '10.1.0.1' }] }] });
    expect((await read(endpointSlices)).metadata?.resourceVersion).toBe(before);
    await kept.stop();
    await of(endpoints).delete('default', 'kubernetes', deleting(), writing());
    await clock.advance(60_000);
    await expect(read(endpoints)).rejects.toThrow('not found');
  });

  it('are not created for a server that other machines cannot reach', async () => {
    const { make, read, move } = await start('10.1.0.1');
    move(undefined);
    await make().start();
    await expect(read(endpoints)).rejects.toThrow('not found');
    const hosts = ['127.0.0.1', '0.0.0.0', '::', '::1', '169.254.1.1', 'fe80::1', 'example.com'];
    expect(hosts.filter(isReachable)).toEqual([]);
    expect(['10.0.0.1', '2001:db8::1'].filter(isReachable)).toHaveLength(2);
  });
});

/** Starts servers that share a store, each with a separate view of the other servers. */
async function startSeveral() {
  const fixture = await startFixture();
  const { registry, storage, clock, of } = fixture;
  const serverAt = (host: string, port = 6443) =>
    createApiEndpoints({
      registry,
      vocabulary: kubernetesVocabulary,
      clock,
      log: silentLogger,
      address: () => ({ host, port }),
      servers: createApiServers({ storage, clock }),
    });
  const shown = async () => {
    const { object } = await of(endpoints).get('default', 'kubernetes', '');
    const { object: slice } = await of(endpointSlices).get('default', 'kubernetes', '');
    return {
      version: object.metadata?.resourceVersion,
      subsets: (object as Endpoints).subsets?.map(({ addresses = [], ports = [] }) => [
        ports[0]?.port,
        ...addresses.map(({ ip }) => ip),
      ]),
      slice: (slice as EndpointSlice).endpoints?.flatMap(({ addresses }) => addresses),
    };
  };
  return { clock, storage, serverAt, shown };
}

describe('endpoints of several servers that share a store', () => {
  it('contain all servers, and converge', async () => {
    const { clock, serverAt, shown } = await startSeveral();
    const [one, two] = [serverAt('10.1.0.2'), serverAt('10.1.0.1')];
    await one.start();
    await two.start();
    const first = await shown();
    expect(first).toMatchObject({
      subsets: [[6443, '10.1.0.1', '10.1.0.2']],
      slice: ['10.1.0.1', '10.1.0.2'],
    });
    await clock.advance(120_000);
    expect(await shown()).toEqual(first);
    await one.stop();
    await two.stop();
  });

  it('lose a stopped server at the next check of another server', async () => {
    const { clock, serverAt, shown } = await startSeveral();
    const [one, two] = [serverAt('10.1.0.1'), serverAt('10.1.0.2')];
    await one.start();
    await two.start();
    await one.stop();
    await clock.advance(10_000);
    expect((await shown()).subsets).toEqual([[6443, '10.1.0.2']]);
    await two.stop();
  });

  it('lose a silent server, and contain it again once it announces itself', async () => {
    const { clock, storage, serverAt, shown } = await startSeveral();
    // The server announced itself once, like a server that is killed right after its start.
    const killed = createApiServers({ storage, clock });
    await killed.announce({ host: '10.1.0.1', port: 6443 });
    const other = serverAt('10.1.0.2');
    await other.start();
    expect((await shown()).subsets).toEqual([[6443, '10.1.0.1', '10.1.0.2']]);
    await clock.advance(20_000);
    expect((await shown()).subsets).toEqual([[6443, '10.1.0.2']]);
    const again = serverAt('10.1.0.1');
    await again.start();
    expect((await shown()).subsets).toEqual([[6443, '10.1.0.1', '10.1.0.2']]);
    await other.stop();
    await again.stop();
  });

  it('converge for servers with different ports and addresses of both families', async () => {
    const { clock, serverAt, shown } = await startSeveral();
    const servers = [serverAt('10.1.0.1', 7443), serverAt('2001:db8::1'), serverAt('10.1.0.3')];
    for (const server of servers) await server.start();
    await clock.advance(10_000);
    const first = await shown();
    expect(first).toMatchObject({
      subsets: [
        [7443, '10.1.0.1'],
        [6443, '10.1.0.3', '2001:db8::1'],
      ],
      slice: ['10.1.0.1'],
    });
    await clock.advance(60_000);
    expect(await shown()).toEqual(first);
    for (const server of servers) await server.stop();
  });
});
