import { afterEach, describe, expect, it } from 'vitest';
import {
  builtinKinds,
  configMaps,
  events as eventKind,
  namespaces,
  secrets,
} from '../../api/groups/index.ts';
import type { ApiObject, DeepReadonly } from '../../api/kinds/kind.ts';
import { createScheme } from '../../api/kinds/scheme.ts';
import { isAlreadyExists, isConflict, isGone, isNotFound } from '../../api/status/api-error.ts';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createApiServer } from '../../apiserver/server.ts';
import { createMemoryStorage } from '../../apiserver/storage/memory.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { createInMemoryTransport } from '../../runtime/client/in-memory-transport.ts';
import { createClient } from '../../runtime/client/rest-client.ts';
import { createEventRecorder } from '../../runtime/events/event-recorder.ts';
import { createInformers } from '../../runtime/informer/informers.ts';
import { stampResourceVersion } from '../../apiserver/storage/stamp.ts';

const scheme = createScheme(orchVocabulary, builtinKinds);
const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** Connects the real client to the real server in one thread, with virtual time and no sockets. */
async function setUp() {
  const clock = createSimulatedClock();
  const environment = { clock, random: createSeededRandom(1), log: silentLogger };
  const server = createApiServer({
    scheme,
    environment,
    storage: createMemoryStorage({ stamp: stampResourceVersion }),
    authenticators: [
      {
        name: 'test',
        authenticate: () => Promise.resolve({ user: { username: 'tester', groups: ['system:masters'] } }),
      },
    ],
    authorizer: {
      name: 'test',
      authorize: () => Promise.resolve({ verdict: 'allow', reason: '' }),
    },
  });
  await server.start();
  stops.push(() => server.stop());
  const client = createClient({
    scheme,
    transport: createInMemoryTransport({ handler: server.handler }),
    clock,
    log: silentLogger,
    userAgent: 'test',
  });
  stops.push(() => client.close());
  await client.cluster(namespaces).create({ metadata: { name: 'team' } });
  return { ...environment, client };
}

const names = (objects: readonly DeepReadonly<ApiObject>[]) => objects.map((each) => each.metadata?.name);

describe('client on the API server', () => {
  it('creates, reads, updates under a version, patches and deletes the object that it decided on', async () => {
    const { client } = await setUp();
    const maps = client.namespaced(configMaps, 'team');
    const made = await maps.create({ metadata: { name: 'a' }, data: { x: '1' } });
    expect(made.metadata?.uid).toMatch(/^[0-9a-f-]{36}$/);
    await expect(maps.create({ metadata: { name: 'a' } })).rejects.toSatisfy(isAlreadyExists);
    await expect(maps.get('b')).rejects.toSatisfy(isNotFound);
    const updated = await maps.update({ ...made, data: { x: '2' } });
    await expect(maps.update({ ...made, data: { x: '3' } })).rejects.toSatisfy(isConflict);
    const patched = await maps.patch('a', 'merge', { data: { y: '1' } });
    expect(patched.data).toEqual({ x: '2', y: '1' });
    await expect(maps.delete('a', { preconditions: { uid: 'other' } })).rejects.toSatisfy(isConflict);
    const { uid, resourceVersion } = patched.metadata ?? {};
    expect(resourceVersion).not.toBe(updated.metadata?.resourceVersion);
    if (uid === undefined || resourceVersion === undefined) expect.unreachable();
    await maps.delete('a', { preconditions: { uid, resourceVersion } });
    await expect(maps.get('a')).rejects.toSatisfy(isNotFound);
  });

  it('lists the same objects in pages as in one request, and watches from that version', async () => {
    const { client, clock } = await setUp();
    const maps = client.namespaced(configMaps, 'team');
    for (let i = 0; i < 7; i++) await maps.create({ metadata: { name: `m${i}` } });
    const paged = await maps.list({ pageSize: 3 });
    expect(names(paged.items)).toEqual(names((await maps.list({ pageSize: 0 })).items));
    const controller = new AbortController();
    const seen: string[] = [];
    const watching = (async () => {
      const { resourceVersion } = paged;
      for await (const { type, object } of maps.watch({ resourceVersion, signal: controller.signal }))
        seen.push(`${type} ${object.metadata?.name}`);
    })();
    watching.catch(() => {});
    await clock.advance(0);
    await maps.create({ metadata: { name: 'new' } });
    await maps.delete('m0');
    await clock.advance(0);
    expect(seen).toEqual(['ADDED new', 'DELETED m0']);
    controller.abort(new Error('enough'));
    await expect(watching).rejects.toThrow('enough');
    const ahead = maps.watch({ resourceVersion: 'x' });
    await expect(ahead[Symbol.asyncIterator]().next()).rejects.not.toSatisfy(isGone);
  });

  it('has informers that match the server while objects are created and deleted, and counts events', async () => {
    const { client, clock, random, log } = await setUp();
    const informers = createInformers({ client, clock, random, log });
    stops.push(() => informers.stop());
    const informer = informers.of(secrets);
    await informers.start();
    await clock.advance(10);
    await informer.ready();
    const some = client.namespaced(secrets, 'team');
    for (let i = 0; i < 20; i++) await some.create({ metadata: { name: `s${i}` } });
    for (let i = 0; i < 20; i += 2) await some.delete(`s${i}`);
    await clock.advance(10);
    expect(names(informer.store.list()).sort()).toEqual(names((await some.list()).items).sort());
    expect(informer.store.byIndex('namespace', 'team').length).toBe(10);

    const recorder = createEventRecorder({ client, scheme, component: 'tester', clock, random, log });
    await recorder.start();
    const object = await some.get('s1');
    recorder.record(object, 'Normal', 'Seen', 'was seen');
    await clock.advance(10);
    recorder.record(object, 'Normal', 'Seen', 'was seen');
    await recorder.stop();
    const { items } = await client.namespaced(eventKind, 'team').list();
    expect(items.map(({ reason, count, involvedObject }) => [reason, count, involvedObject.uid])).toEqual([
      ['Seen', 2, object.metadata?.uid],
    ]);
  });
});
