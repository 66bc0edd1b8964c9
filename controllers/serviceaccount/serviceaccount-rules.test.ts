import { describe, expect, it } from 'vitest';
import { configMaps, namespaces, serviceAccounts } from '../../api/groups/core-v1.ts';
import { isNotFound } from '../../api/status/api-error.ts';
import type { Fault } from '../../test/world/faults.ts';
import { shareWorld, useWorld } from '../../test/world/use-world.ts';
import type { World } from '../../test/world/world.ts';
import { injectFirst } from '../first-requests.fixture.ts';

const MINUTE = 60_000;
const controllers = ['serviceaccount', 'root-ca-cert-publisher'];
const shared = shareWorld({ controllers });
let count = 0;

/**
 * Returns a client for a namespace that is unique to one test, with functions for the objects that the two
 * controllers create in it.
 */
function placeIn(world: World, name = `place-${++count}`) {
  const { client, eventually, manager, vocabulary } = world;
  const all = client.cluster(namespaces);
  const accounts = client.namespaced(serviceAccounts, name);
  const maps = client.namespaced(configMaps, name);
  const rootCa = vocabulary.rootCaConfigMap;
  const lines = () => manager.faults.seen.filter((line) => line.includes(`/namespaces/${name}/`));
  return {
    name,
    all,
    accounts,
    maps,
    rootCa,
    create: (metadata: object = {}) => all.create({ metadata: { name, ...metadata } }),
    account: () => eventually(() => accounts.get('default')),
    map: () => eventually(() => maps.get(rootCa)),
    right: () =>
      eventually(async () =>
        expect((await maps.get(rootCa)).data).toEqual({ 'ca.crt': world.settings.rootCa }),
      ),
    lines,
    writes: (resource: string) =>
      lines().filter((line) => !line.startsWith('GET') && line.includes(`/${resource}`)),
    /**
     * Injects a fault into the first `times` requests for this namespace. Returns a function that ends the
     * injection.
     */
    inject: (verb: string, resource: string, times: number, fault: Fault | (() => Fault)) =>
      injectFirst(manager, { verb, path: `/namespaces/${name}/${resource}`, times }, fault),
  };
}

describe('default ServiceAccount of a namespace', () => {
  it('has a name but neither secrets, labels nor annotations', async () => {
    const place = placeIn(shared());
    await place.create({ labels: { a: 'b' }, annotations: { c: 'd' } });
    const { metadata, ...rest } = await place.account();
    expect(metadata?.labels).toBeUndefined();
    expect(metadata?.annotations).toBeUndefined();
    expect(rest).toEqual({ apiVersion: 'v1', kind: 'ServiceAccount' });
  });

  it('is created in namespaces that existed before the controller', async () => {
    const { client } = shared();
    await shared().clock.advance(MINUTE);
    for (const { metadata } of (await client.cluster(namespaces).list()).items)
      await client.namespaced(serviceAccounts, metadata?.name ?? '').get('default');
  });

  it('is created with one request in each of many namespaces created at once', async () => {
    const places = Array.from({ length: 10 }, () => placeIn(shared()));
    await Promise.all(places.map((place) => place.create()));
    for (const place of places) {
      await place.account();
      expect(place.writes('serviceaccounts')).toHaveLength(1);
    }
  });

  it('is independent of ServiceAccounts with other names', async () => {
    const place = placeIn(shared());
    await place.create();
    await place.account();
    const before = place.writes('serviceaccounts').length;
    await place.accounts.create({ metadata: { name: 'defaults' } });
    await place.accounts.delete('defaults');
    await shared().clock.advance(2 * MINUTE);
    expect(place.writes('serviceaccounts')).toHaveLength(before);
  });

  it('is not created again until the deleted one is removed', async () => {
    const place = placeIn(shared());
    await place.create();
    const first = await place.account();
    await place.accounts.patch('default', 'merge', { metadata: { finalizers: ['example.com/hold'] } });
    await place.accounts.delete('default');
    await shared().clock.advance(2 * MINUTE);
    expect(place.writes('serviceaccounts')).toHaveLength(1);
    await place.accounts.patch('default', 'merge', { metadata: { finalizers: null } });
    await shared().eventually(async () =>
      expect((await place.accounts.get('default')).metadata?.uid).not.toBe(first.metadata?.uid),
    );
  });

  it('may be created first by a user without a failure of the controller', async () => {
    const place = placeIn(shared());
    let made: Promise<unknown> | undefined;
    const done = place.inject(
      'POST',
      'serviceaccounts',
      1,
      () => (made ??= place.accounts.create({ metadata: { name: 'default', labels: { of: 'user' } } })),
    );
    await place.create();
    await shared().clock.advance(2 * MINUTE);
    expect((await place.accounts.get('default')).metadata?.labels).toEqual({ of: 'user' });
    expect(place.writes('serviceaccounts')).toHaveLength(1);
    done();
  });

  it.each<[string, Fault]>([
    ['is forbidden', { status: 403, reason: 'Forbidden' }],
    ['is throttled', { status: 429, reason: 'TooManyRequests' }],
    ['does not reach the server', 'refused'],
    ['gets no response', 'unanswered'],
  ])('is created even if the first request %s', async (_what, fault) => {
    const place = placeIn(shared());
    const done = place.inject('POST', 'serviceaccounts', 2, fault);
    await place.create();
    await place.account();
    done();
  });

  it('is not retried if the namespace is deleted before the creation', async () => {
    const place = placeIn(shared());
    let ended: Promise<unknown> | undefined;
    const done = place.inject('POST', 'serviceaccounts', 1, () => (ended ??= place.all.delete(place.name)));
    await place.create();
    await shared().clock.advance(2 * MINUTE);
    expect(place.writes('serviceaccounts')).toHaveLength(1);
    expect(await place.accounts.get('default').catch(isNotFound)).toBe(true);
    done();
  });

  it('is created if it is missing when a manager starts, without a request if it exists', async () => {
    const world = await useWorld({ controllers: [] });
    const [bare, whole] = [placeIn(world), placeIn(world)];
    await bare.create();
    await whole.create();
    await whole.accounts.create({ metadata: { name: 'default' } });
    const next = await world.startManager({ controllers });
    await bare.account();
    const posts = next.faults.seen.filter(
      (line) => line.startsWith('POST') && line.includes('serviceaccounts'),
    );
    expect(posts.filter((line) => line.includes(`/${bare.name}/`))).toHaveLength(1);
    expect(posts.filter((line) => line.includes(`/${whole.name}/`))).toEqual([]);
  });
});

describe('root CA ConfigMap of a namespace', () => {
  it('has a description of its purpose', async () => {
    const place = placeIn(shared());
    await place.create();
    const { metadata, data } = await place.map();
    expect(metadata?.annotations?.[shared().vocabulary.key('', 'description')]).toMatch(
      /^Contains a CA bundle that can be used to verify the orch-apiserver when .* or orch\.default\.svc\. .* Orch clusters\.$/,
    );
    expect(data).toEqual({ 'ca.crt': shared().settings.rootCa });
  });

  it.each<[string, object]>([
    ['another certificate', { 'ca.crt': 'forged' }],
    ['an additional key', { more: 'x' }],
    ['no certificate', { 'ca.crt': null }],
    ['an empty certificate', { 'ca.crt': '' }],
  ])('is corrected if it has %s', async (_what, data) => {
    const place = placeIn(shared());
    await place.create();
    await place.map();
    await place.maps.patch(place.rootCa, 'merge', { data });
    await place.right();
  });

  it('is counted by the result of its creation in the metrics of release 1.24', async () => {
    const world = await useWorld({ controllers });
    const place = placeIn(world, 'counted');
    const heal = place.inject('POST', 'configmaps', 1, { status: 403, reason: 'Forbidden' });
    await place.create();
    await place.map();
    heal();
    const { text } = await world.manager.manager.metrics();
    expect(text).toContain('root_ca_cert_publisher_sync_total{code="403"} 1\n');
    expect(text).toMatch(/^root_ca_cert_publisher_sync_total\{code="200"\} [1-9]/m);
    expect(text).toContain('root_ca_cert_publisher_sync_duration_seconds_bucket{code="403",le="16.384"} 1\n');
  });

  it('gets a missing description again, and retains another description and labels', async () => {
    const place = placeIn(shared());
    const key = shared().vocabulary.key('', 'description');
    await place.create();
    const first = await place.map();
    await place.maps.patch(place.rootCa, 'merge', {
      metadata: { annotations: { [key]: null }, labels: { a: 'b' } },
    });
    await shared().eventually(async () =>
      expect((await place.maps.get(place.rootCa)).metadata?.annotations).toEqual(first.metadata?.annotations),
    );
    await place.maps.patch(place.rootCa, 'merge', { metadata: { annotations: { [key]: 'ours' } } });
    await shared().clock.advance(2 * MINUTE);
    const { metadata } = await place.maps.get(place.rootCa);
    expect(metadata?.annotations).toEqual({ [key]: 'ours' });
    expect(metadata?.labels).toEqual({ a: 'b' });
  });

  it('is not written while it is correct, nor if another ConfigMap changes', async () => {
    const place = placeIn(shared());
    await place.create();
    await place.map();
    await place.maps.create({ metadata: { name: 'other' }, data: { 'ca.crt': 'mine' } });
    await place.maps.patch('other', 'merge', { data: { a: 'b' } });
    await shared().clock.advance(2 * MINUTE);
    expect(place.writes('configmaps')).toHaveLength(1);
  });

  it('is corrected again if it changes during the correction', async () => {
    const place = placeIn(shared());
    await place.create();
    await place.map();
    let again: Promise<unknown> | undefined;
    const done = place.inject(
      'PUT',
      'configmaps',
      1,
      () => (again ??= place.maps.patch(place.rootCa, 'merge', { data: { second: 'x' } })),
    );
    await place.maps.patch(place.rootCa, 'merge', { data: { first: 'x' } });
    await place.right();
    done();
  });

  it('is created again if it is deleted during the correction', async () => {
    const place = placeIn(shared());
    await place.create();
    await place.map();
    let gone: Promise<unknown> | undefined;
    const done = place.inject('PUT', 'configmaps', 1, () => (gone ??= place.maps.delete(place.rootCa)));
    await place.maps.patch(place.rootCa, 'merge', { data: { first: 'x' } });
    await place.right();
    done();
  });

  it.each<[string, string, Fault]>([
    ['creation fails', 'POST', { status: 500, reason: 'InternalError' }],
    ['creation gets no response', 'POST', 'unanswered'],
    ['the update conflicts', 'PUT', { status: 409, reason: 'Conflict' }],
    ['the update gets no response', 'PUT', 'unanswered'],
  ])('is correct after a retry if at first %s', async (_what, verb, fault) => {
    const place = placeIn(shared());
    const done = place.inject(verb, 'configmaps', 2, fault);
    await place.create();
    await place.map();
    await place.maps.patch(place.rootCa, 'merge', { data: { 'ca.crt': 'forged' } });
    await place.right();
    done();
  });

  it('is corrected if a user created it first with other content', async () => {
    const place = placeIn(shared());
    let made: Promise<unknown> | undefined;
    const done = place.inject(
      'POST',
      'configmaps',
      1,
      () => (made ??= place.maps.create({ metadata: { name: place.rootCa }, data: { 'ca.crt': 'mine' } })),
    );
    await place.create();
    await place.right();
    done();
  });

  it('is neither created nor corrected in a namespace that is being deleted', async () => {
    const place = placeIn(shared());
    await place.create();
    await place.map();
    await place.all.delete(place.name);
    await place.maps.patch(place.rootCa, 'merge', { data: { 'ca.crt': 'forged' } });
    await shared().clock.advance(2 * MINUTE);
    expect((await place.maps.get(place.rootCa)).data).toEqual({ 'ca.crt': 'forged' });
    expect(place.writes('configmaps')).toHaveLength(1);
  });
});
