import { describe, expect, it } from 'vitest';
import { configMaps, cronJobs, namespaces, pods, tokenReviews } from '../../../api/groups/index.ts';
import { type ApiObject, defineKind } from '../../../api/kinds/kind.ts';
import { type AnyKind, createScheme } from '../../../api/kinds/scheme.ts';
import {
  decodeEnveloped,
  encodeObject,
  encodeProto,
  openEnvelope,
  wrapEnvelope,
} from '../../../api/protobuf/envelope.ts';
import { listSchemaOf } from '../../../api/protobuf/lists.ts';
import { decodeWatchFrame } from '../../../api/protobuf/watch-event.ts';
import { type StructSchema, mapOf, ref, string, struct, value } from '../../../api/schema/schema.ts';
import { APIGroupList, APIResourceList, APIVersions } from '../../../api/types/meta-v1-discovery.ts';
import { DeleteOptions, ObjectMeta, PartialObjectMetadata, Status } from '../../../api/types/meta-v1.ts';
import { kubernetesVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../../base/clock/simulated.ts';
import { silentLogger } from '../../../base/log/logger.ts';
import { createSeededRandom } from '../../../base/random/seeded.ts';
import { createApiServer } from '../../server.ts';
import { createMemoryStorage } from '../../storage/memory.ts';
import { stampResourceVersion } from '../../storage/stamp.ts';
import { type InMemoryResponse, createInMemoryCaller } from '../in-memory.ts';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const METADATA = 'as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const COLLECTION = '/api/v1/namespaces/a/configmaps';
const CRON_JOBS = '/apis/batch/v1/namespaces/a/cronjobs';
const WIDGETS = '/apis/example.com/v1/widgets';

/** Kind without protobuf field numbers, like a custom kind. */
const widgets = defineKind<ApiObject>({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: false,
  schema: struct('example.Widget', {
    kind: value(0, string),
    apiVersion: value(0, string),
    metadata: value(0, ref<ObjectMeta>(ObjectMeta)),
    spec: value(0, mapOf(string)),
  }),
});

const kinds = [configMaps, cronJobs, namespaces, pods, tokenReviews, widgets] as unknown as AnyKind[];

async function startServer() {
  const clock = createSimulatedClock();
  const server = createApiServer({
    scheme: createScheme(kubernetesVocabulary, kinds),
    environment: { clock, random: createSeededRandom(1), log: silentLogger },
    storage: createMemoryStorage({ stamp: stampResourceVersion }),
    authenticators: [
      {
        name: 'test',
        authenticate: () => Promise.resolve({ user: { username: 'admin', groups: [] } }),
      },
    ],
    authorizer: { name: 'test', authorize: () => Promise.resolve({ verdict: 'allow', reason: '' }) },
    virtual: [
      {
        group: 'authentication',
        version: 'v1',
        resource: 'tokenreviews',
        subresource: '',
        handle: (_context, body) =>
          Promise.resolve({ ...body, status: { authenticated: true, user: { username: 'u' } } } as ApiObject),
      },
    ],
  });
  await server.start();
  const caller = createInMemoryCaller(server.handler);
  await caller.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'a' } } });
  const call = (method: string, url: string, accept: string, body?: unknown): Promise<InMemoryResponse> =>
    caller.request(method, url, {
      headers: {
        accept,
        ...(body instanceof Uint8Array
          ? { 'content-type': PROTOBUF, 'content-length': String(body.length) }
          : {}),
      },
      ...(body === undefined ? {} : { body }),
    });
  const create = async (name: string, labels = {}) =>
    call('POST', COLLECTION, 'application/json', { metadata: { name, labels }, data: { k: 'v' } });
  return { call, create, clock };
}

async function opened(response: InMemoryResponse, schema: StructSchema) {
  expect(response.header('content-type')).toBe(PROTOBUF);
  return decodeEnveloped(openEnvelope(await response.bytes()), schema);
}

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { k: 'v' } };

describe('a protobuf body', () => {
  it('creates and updates the same object as a JSON body', async () => {
    const { call } = await startServer();
    const created = await call('POST', COLLECTION, '*/*', encodeObject(configMaps.schema, CONFIG_MAP));
    expect(created.status).toBe(201);
    const object = await created.json<{ data: object }>();
    expect(object).toMatchObject({ ...CONFIG_MAP, metadata: { name: 'c', namespace: 'a' } });
    const next = encodeObject(configMaps.schema, { ...object, data: { k: 'w' } });
    const updated = await call('PUT', `${COLLECTION}/c`, '*/*', next);
    expect([updated.status, (await updated.json<{ data: object }>()).data]).toEqual([200, { k: 'w' }]);
  });

  it("has the path's kind if its envelope names none", async () => {
    const { call } = await startServer();
    const raw = encodeProto(configMaps.schema, CONFIG_MAP);
    const created = await call('POST', COLLECTION, '*/*', wrapEnvelope({ apiVersion: '', kind: '', raw }));
    expect(created.status).toBe(201);
  });

  it('is accepted for virtual resources, whose response is then protobuf', async () => {
    const { call } = await startServer();
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: 't' } };
    const url = '/apis/authentication.k8s.io/v1/tokenreviews';
    const answer = await call('POST', url, PROTOBUF, encodeObject(tokenReviews.schema, body));
    expect(answer.status).toBe(201);
    expect(await opened(answer, tokenReviews.schema)).toMatchObject({
      kind: 'TokenReview',
      spec: { token: 't' },
      status: { authenticated: true, user: { username: 'u' } },
    });
  });

  it('may contain delete options', async () => {
    const { call, create } = await startServer();
    await create('c');
    const options = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: 'other' } };
    const refused = await call('DELETE', `${COLLECTION}/c`, '*/*', encodeObject(DeleteOptions, options));
    expect(refused.status).toBe(409);
    const plain = encodeObject(DeleteOptions, { apiVersion: 'v1', kind: 'DeleteOptions' });
    expect((await call('DELETE', `${COLLECTION}/c`, '*/*', plain)).status).toBe(200);
  });

  it.each([
    [
      'no envelope',
      Buffer.from('{}'),
      'the object provided is unrecognized (must be of type ConfigMap): provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] ({})',
    ],
    [
      'nothing',
      Buffer.alloc(0),
      'the object provided is unrecognized (must be of type ConfigMap): empty data (<empty>)',
    ],
    [
      'an object cut short',
      wrapEnvelope({ apiVersion: 'v1', kind: 'ConfigMap', raw: Buffer.from([0x0a, 0x05]) }),
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: unexpected EOF',
    ],
    [
      'another kind',
      encodeObject(cronJobs.schema, { apiVersion: 'batch/v1', kind: 'CronJob' }),
      'CronJob in version "v1" cannot be handled as a ConfigMap: converting (v1.CronJob) to (core.ConfigMap): unknown conversion',
    ],
  ])('is rejected with 400: %s', async (_, body, message) => {
    const { call } = await startServer();
    const refused = await call('POST', COLLECTION, '*/*', body);
    expect([refused.status, (await refused.json<{ message: string }>()).message]).toEqual([400, message]);
  });

  it('is rejected with 415 for a kind without protobuf form, and in a patch', async () => {
    const { call, create } = await startServer();
    const body = wrapEnvelope({ apiVersion: 'example.com/v1', kind: 'Widget', raw: Buffer.alloc(0) });
    const refused = await call('POST', WIDGETS, '*/*', body);
    expect([refused.status, (await refused.json<{ message: string }>()).message]).toEqual([
      415,
      'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml',
    ]);
    await create('c');
    const patch = await call('PATCH', `${COLLECTION}/c`, '*/*', encodeObject(configMaps.schema, CONFIG_MAP));
    expect(patch.status).toBe(415);
  });
});

describe('a protobuf response', () => {
  it('to a write, get or list has the same content as in JSON', async () => {
    const { call, create } = await startServer();
    const cron = {
      metadata: { name: 'j' },
      spec: {
        schedule: '* * * * *',
        jobTemplate: {
          spec: {
            template: {
              spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] },
            },
          },
        },
      },
    };
    const created = await call('POST', CRON_JOBS, PROTOBUF, cron);
    expect(created.status).toBe(201);
    const bytes = await created.bytes();
    expect(await (await call('GET', `${CRON_JOBS}/j`, PROTOBUF)).bytes()).toEqual(bytes);
    const json = await (await call('GET', `${CRON_JOBS}/j`, 'application/json')).json<object>();
    expect(encodeObject(cronJobs.schema, json)).toEqual(bytes);

    await create('b');
    await create('c');
    const list = await call('GET', COLLECTION, PROTOBUF);
    const inJson = await (await call('GET', COLLECTION, 'application/json')).json<object>();
    expect(await list.bytes()).toEqual(encodeObject(listSchemaOf(configMaps.schema), inJson));
  });

  it('has the same pages as a JSON response', async () => {
    const { call, create } = await startServer();
    await create('b');
    await create('c');
    const page = await call('GET', `${COLLECTION}?limit=1`, PROTOBUF);
    expect(await opened(page, listSchemaOf(configMaps.schema))).toMatchObject({
      kind: 'ConfigMapList',
      metadata: { remainingItemCount: 1, continue: expect.stringMatching(/./) as string },
      items: [{ metadata: { name: 'b' } }],
    });
  });

  it('contains only metadata if the client requests that', async () => {
    const { call, create } = await startServer();
    await create('c');
    const one = await call('GET', `${COLLECTION}/c`, `${PROTOBUF};${METADATA}`);
    const read = await opened(one, PartialObjectMetadata);
    expect(read).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'c' } });
    expect(read).not.toHaveProperty('data');
    const accept = `${PROTOBUF};${METADATA.replace('Metadata;', 'MetadataList;')}`;
    expect(
      await opened(await call('GET', COLLECTION, accept), listSchemaOf(PartialObjectMetadata)),
    ).toMatchObject({
      kind: 'PartialObjectMetadataList',
      items: [{ metadata: { name: 'c' } }],
    });
  });

  it('is never a Table: the next accepted form is used', async () => {
    const { call, create } = await startServer();
    await create('c');
    const table = 'as=Table;g=meta.k8s.io;v=v1';
    const answer = await call('GET', COLLECTION, `${PROTOBUF};${table},application/json;${table}`);
    expect(await answer.json()).toMatchObject({ kind: 'Table' });
    expect((await call('GET', COLLECTION, `${PROTOBUF};${table}`)).status).toBe(406);
  });

  it('is sent if the Accept header prefers it', async () => {
    const { call, create } = await startServer();
    await create('c');
    const formOf = async (accept: string) =>
      (await call('GET', `${COLLECTION}/c`, accept)).header('content-type');
    expect(await formOf(`${PROTOBUF},application/json`)).toBe(PROTOBUF);
    expect(await formOf(`${PROTOBUF}, */*`)).toBe(PROTOBUF);
    expect(await formOf(`application/json,${PROTOBUF}`)).toBe('application/json');
    expect(await formOf(`${PROTOBUF};q=0.5,application/json`)).toBe('application/json');
  });

  it('to an error or delete is a Status', async () => {
    const { call, create } = await startServer();
    const missing = await call('GET', `${COLLECTION}/none`, PROTOBUF);
    expect(missing.status).toBe(404);
    expect(await opened(missing, Status)).toMatchObject({
      kind: 'Status',
      apiVersion: 'v1',
      reason: 'NotFound',
      message: 'configmaps "none" not found',
      details: { name: 'none', kind: 'configmaps' },
      code: 404,
    });
    await create('c');
    expect(await opened(await call('DELETE', `${COLLECTION}/c`, PROTOBUF), Status)).toMatchObject({
      status: 'Success',
      details: { name: 'c', kind: 'configmaps' },
    });
  });

  it('exists for discovery documents, and not for documents without a kind', async () => {
    const { call } = await startServer();
    expect(await opened(await call('GET', '/api', PROTOBUF), APIVersions)).toMatchObject({
      kind: 'APIVersions',
      versions: ['v1'],
    });
    expect(await opened(await call('GET', '/apis', PROTOBUF), APIGroupList)).toMatchObject({
      kind: 'APIGroupList',
      groups: expect.arrayContaining([expect.objectContaining({ name: 'batch' })]) as unknown,
    });
    const { resources } = await opened(await call('GET', '/apis/batch/v1', PROTOBUF), APIResourceList);
    expect(resources).toContainEqual(
      expect.objectContaining({
        name: 'cronjobs',
        namespaced: true,
        verbs: expect.arrayContaining(['watch']) as unknown,
      }),
    );
    expect((await call('GET', '/version', `${PROTOBUF}, */*`)).header('content-type')).toBe(
      'application/json',
    );
  });

  it('is replaced by JSON, or by a 406 in protobuf, for a kind without protobuf form', async () => {
    const { call } = await startServer();
    const fallback = await call('GET', WIDGETS, `${PROTOBUF},application/json`);
    expect([fallback.status, fallback.header('content-type')]).toEqual([200, 'application/json']);
    const refused = await call('GET', WIDGETS, PROTOBUF);
    expect([refused.status, refused.header('content-type')]).toEqual([406, PROTOBUF]);
    expect(await refused.text()).toContain('NotAcceptable');
  });
});

describe('a protobuf watch', () => {
  async function framesOf(response: InMemoryResponse, frames: number) {
    expect(response.header('content-type')).toBe(`${PROTOBUF};stream=watch`);
    const stream = response.chunks();
    const events = [];
    for (let rest = Buffer.alloc(0); events.length < frames;) {
      const next = await stream.next();
      if (next.done === true) break;
      rest = Buffer.concat([rest, next.value]);
      while (rest.length >= 4 && rest.length >= rest.readUInt32BE() + 4) {
        const end = rest.readUInt32BE() + 4;
        events.push(decodeWatchFrame(rest.subarray(0, end)));
        rest = rest.subarray(end);
      }
    }
    await stream.return?.();
    return events.map(({ type, object }) => ({ type, envelope: openEnvelope(object) }));
  }

  async function watch(url: string, accept: string, frames: number) {
    const { call, create } = await startServer();
    await create('b', { l: 'x' });
    const response = await call('GET', url, accept);
    await create('c', { l: 'x' });
    await call('PUT', `${COLLECTION}/c`, '*/*', { metadata: { name: 'c' }, data: {} });
    return framesOf(response, frames);
  }

  it('sends a frame of length, type and enveloped object for each event', async () => {
    const events = await watch(`${COLLECTION}?watch=1`, PROTOBUF, 3);
    expect(
      events.map(({ type, envelope }) => {
        const { kind, metadata } = decodeEnveloped(envelope, configMaps.schema) as ApiObject;
        return `${type} ${kind ?? ''} ${metadata?.name ?? ''}`;
      }),
    ).toEqual(['ADDED ConfigMap b', 'ADDED ConfigMap c', 'MODIFIED ConfigMap c']);
  });

  it('sends DELETED for objects that no longer match the selector', async () => {
    const events = await watch(`${COLLECTION}?watch=1&labelSelector=l`, PROTOBUF, 3);
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'ADDED', 'DELETED']);
  });

  it('contains only metadata if the client requests that', async () => {
    const [first] = await watch(`${COLLECTION}?watch=1`, `${PROTOBUF};${METADATA}`, 1);
    expect(first?.envelope.kind).toBe('PartialObjectMetadata');
  });

  it('sends the reason of its end in an ERROR frame', async () => {
    const { call, clock } = await startServer();
    const asked = call('GET', `${COLLECTION}?watch=1&resourceVersion=999999`, PROTOBUF);
    await clock.advance(5_000);
    const [first] = await framesOf(await asked, 1);
    expect(first?.type).toBe('ERROR');
    expect(first && decodeEnveloped(first.envelope, Status)).toMatchObject({ kind: 'Status', code: 410 });
  });

  it('sends bookmarks', async () => {
    const url = `${COLLECTION}?watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan`;
    const events = await watch(url, PROTOBUF, 2);
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'BOOKMARK']);
    const bookmark = events[1] && decodeEnveloped(events[1].envelope, configMaps.schema);
    expect(bookmark).toMatchObject({
      kind: 'ConfigMap',
      metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } },
    });
  });
});
