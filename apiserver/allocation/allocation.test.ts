import * as fc from 'fast-check';
import { isIP } from 'node:net';
import { describe, expect, it } from 'vitest';
import { services } from '../../api/groups/index.ts';
import type { Service } from '../../api/types/core-v1-service.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { deleting, refusal, startFixture, writing } from '../registry/registry.fixture.ts';
import type { AdmissionPlugin } from '../request.ts';
import { freeOffset, parseAddressRange } from './ranges.ts';
import { type Reservations, createReservations } from './reservations.ts';
import { createServiceAllocator } from './service-allocator.ts';

const SERVICES = '/registry/core/services/';

describe('a range of addresses', () => {
  it('excludes the network address and, in IPv4, the last address', () => {
    const range = parseAddressRange('10.0.0.7/29');
    expect(range).toMatchObject({ cidr: '10.0.0.0/29', family: 'IPv4', size: 6 });
    expect([range.at(0), range.at(5)]).toEqual(['10.0.0.1', '10.0.0.6']);
    expect(
      ['10.0.0.0', '10.0.0.1', '10.0.0.6', '10.0.0.7', '::1', 'x'].map((each) => range.has(each)),
    ).toEqual([false, true, true, false, false, false]);
  });

  it('formats IPv6 addresses in their shortest form', () => {
    const range = parseAddressRange('2001:db8:0:0:1::/112');
    expect(range).toMatchObject({ cidr: '2001:db8:0:0:1::/112', family: 'IPv6', size: 65_535 });
    expect(range.at(0)).toBe('2001:db8::1:0:0:1');
    expect(range.has('2001:db8::1:0:0:1')).toBe(true);
  });

  it('contains every address it can assign', () => {
    const address = fc.oneof(fc.ipV4(), fc.ipV6());
    fc.assert(
      fc.property(address, fc.nat(128), fc.nat(70_000), (base, bits, at) => {
        const range = parseAddressRange(`${base}/${Math.min(bits, isIP(base) === 4 ? 32 : 128)}`);
        expect(at < range.size).toBe(range.has(range.at(at)));
      }),
    );
  });

  it.each(['', '10.0.0.0', '10.0.0.0/33', 'x/8', '10.0.0.0/-1'])(
    'is rejected if it is malformed: %j',
    (text) => {
      expect(() => parseAddressRange(text)).toThrow(RangeError);
    },
  );

  it('has no free offset once all offsets are taken', () => {
    expect(freeOffset(3, 2, (at) => at === 2)).toBe(0);
    expect(freeOffset(3, 1, () => true)).toBeUndefined();
  });
});

const service = (name: string, spec: object = {}): object => ({
  kind: 'Service',
  apiVersion: 'v1',
  metadata: { name },
  spec: { selector: { a: 'b' }, ports: [{ port: 80 }], ...spec },
});

async function start(cidrs: readonly string[] = ['10.0.0.0/29'], more: readonly AdmissionPlugin[] = []) {
  const plugins: AdmissionPlugin[] = [];
  let reservations: Reservations | undefined;
  const fixture = await startFixture({
    admission: plugins,
    wrap: (storage) =>
      (reservations = createReservations({ storage, services: SERVICES, log: silentLogger })).storage,
  });
  if (reservations === undefined) throw new Error('the fixture did not wrap its store');
  plugins.push(
    createServiceAllocator({
      reservations,
      ranges: { addresses: cidrs.map(parseAddressRange), nodePorts: { first: 30_000, last: 30_001 } },
      random: createSeededRandom(1),
    }),
    ...more,
  );
  const registry = fixture.of(services);
  const create = async (name: string, spec: object = {}, dryRun = false): Promise<Service> =>
    (await registry.create('default', service(name, spec), writing({ dryRun }))).object as Service;
  return { registry, create };
}

describe('the service allocator', () => {
  it('assigns each Service its own address until none is left', async () => {
    const { create } = await start();
    const made = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => create(name)));
    expect(new Set(made.map(({ spec }) => spec?.clusterIP)).size).toBe(6);
    expect(made[0]?.spec).toMatchObject({ ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' });
    expect((await refusal(create('g'))).message).toBe(
      'Internal error occurred: failed to allocate a serviceIP: range is full',
    );
  });

  it('assigns a requested address, unless it is taken or out of range', async () => {
    const { create } = await start();
    expect((await create('a', { clusterIP: '10.0.0.3' })).spec?.clusterIPs).toEqual(['10.0.0.3']);
    expect((await refusal(create('b', { clusterIP: '10.0.0.3' }))).status.details?.causes).toEqual([
      {
        reason: 'FieldValueInvalid',
        field: 'spec.clusterIPs',
        message:
          'Invalid value: []string{"10.0.0.3"}: failed to allocate IP 10.0.0.3: provided IP is already allocated',
      },
    ]);
    expect((await refusal(create('c', { clusterIP: '1.2.3.4' }))).message).toContain(
      'provided IP is not in the valid range. The range of valid IPs is 10.0.0.0/29',
    );
  });

  it('reuses the address of a deleted Service', async () => {
    const { registry, create } = await start();
    await create('a', { clusterIP: '10.0.0.3' });
    await registry.delete('default', 'a', deleting(), writing());
    expect((await create('b', { clusterIP: '10.0.0.3' })).spec?.clusterIP).toBe('10.0.0.3');
  });

  it('reserves no values for a dry run or a failed write', async () => {
    const failing: AdmissionPlugin = {
      name: 'test',
      operations: ['CREATE'],
      validate: ({ name }) => (name === 'bad' ? Promise.reject(new TypeError('refused')) : Promise.resolve()),
    };
    const { create } = await start(['10.0.0.0/30'], [failing]);
    await create('dry', { clusterIP: '10.0.0.1' }, true);
    await expect(create('bad', { clusterIP: '10.0.0.1' })).rejects.toThrow('refused');
    expect((await create('good', { clusterIP: '10.0.0.1' })).spec?.clusterIP).toBe('10.0.0.1');
  });

  it('assigns no address to a headless or ExternalName Service', async () => {
    const { create } = await start();
    expect((await create('a', { clusterIP: 'None' })).spec).toMatchObject({
      clusterIPs: ['None'],
      ipFamilies: ['IPv4'],
    });
    const named = await create('b', { type: 'ExternalName', externalName: 'example.com' });
    expect(named.spec).not.toHaveProperty('clusterIP');
  });

  it('assigns both families to a headless Service without a selector', async () => {
    const { create } = await start();
    expect((await create('a', { clusterIP: 'None', selector: {} })).spec).toMatchObject({
      ipFamilies: ['IPv4', 'IPv6'],
      ipFamilyPolicy: 'RequireDualStack',
    });
  });

  it('assigns an address of each family on a dual-stack cluster', async () => {
    const { create } = await start(['10.0.0.0/29', 'fd00::/120']);
    const { spec } = await create('a', { ipFamilyPolicy: 'PreferDualStack' });
    expect(spec?.ipFamilies).toEqual(['IPv4', 'IPv6']);
    expect(spec?.clusterIPs?.map(isIP)).toEqual([4, 6]);
    const single = await start();
    expect((await refusal(single.create('b', { ipFamilyPolicy: 'RequireDualStack' }))).message).toContain(
      'this cluster is not configured for dual-stack services',
    );
  });

  it.each(['PreferDualStack', 'RequireDualStack'])(
    'releases the second address if a Service changes from %s to SingleStack',
    async (ipFamilyPolicy) => {
      const { registry, create } = await start(['10.0.0.0/29', 'fd00::/120']);
      const both = await create('a', { ipFamilyPolicy });
      const back = { ...both, spec: { ...both.spec, ipFamilyPolicy: 'SingleStack' } };
      const { object } = await registry.update('default', 'a', '', back, writing());
      expect((object as Service).spec).toMatchObject({
        clusterIPs: both.spec?.clusterIPs?.slice(0, 1),
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
      });
    },
  );

  it('assigns each node port to one Service', async () => {
    const { create } = await start();
    const { spec } = await create('a', { type: 'NodePort' });
    const taken = spec?.ports?.[0]?.nodePort ?? 0;
    expect([30_000, 30_001]).toContain(taken);
    const again = { type: 'NodePort', ports: [{ port: 80, nodePort: taken }] };
    expect((await refusal(create('b', again))).message).toContain(
      `spec.ports[0].nodePort: Invalid value: ${taken}: provided port is already allocated`,
    );
    expect(
      (await refusal(create('c', { type: 'NodePort', ports: [{ port: 80, nodePort: 99 }] }))).message,
    ).toContain(
      'Invalid value: 99: provided port is not in the valid range. The range of valid ports is 30000-30001',
    );
  });

  it('changes no values in an update that requests none', async () => {
    const { registry, create } = await start();
    const before = await create('a', { type: 'NodePort' });
    const after = await registry.update('default', 'a', '', service('a', { type: 'NodePort' }), writing());
    expect((after.object as Service).spec).toEqual(before.spec);
  });
});
