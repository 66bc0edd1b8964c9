import { describe, expect, it } from 'vitest';
import { endpointSlices, endpoints } from '../../api/groups/index.ts';
import type { AnyKind } from '../../api/kinds/scheme.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { deleting, startFixture, writing } from '../registry/registry.fixture.ts';
import { createApiEndpoints, isReachable } from './api-endpoints.ts';

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

describe('the endpoints of the API service', () => {
  it('name the server, as Endpoints and as a slice that is not mirrored from them', async () => {
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

  it('follow the server when it starts elsewhere, also in the other family', async () => {
    const { make, read, move } = await start('10.1.0.1');
    await make().start();
    move({ host: '2001:db8::1', port: 443 });
    await make().start();
    expect(await read(endpoints)).toMatchObject({ subsets: [{ addresses: [{ ip: '2001:db8::1' }] }] });
    expect(await read(endpointSlices)).toMatchObject({ addressType: 'IPv6', ports: [{ port: 443 }] });
  });

  it('are made again within ten seconds, and left alone when nothing has changed', async () => {
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

  it('are not made for a server that nobody else reaches', async () => {
    const { make, read, move } = await start('10.1.0.1');
    move(undefined);
    await make().start();
    await expect(read(endpoints)).rejects.toThrow('not found');
    const hosts = ['127.0.0.1', '0.0.0.0', '::', '::1', '169.254.1.1', 'fe80::1', 'example.com'];
    expect(hosts.filter(isReachable)).toEqual([]);
    expect(['10.0.0.1', '2001:db8::1'].filter(isReachable)).toHaveLength(2);
  });
});
