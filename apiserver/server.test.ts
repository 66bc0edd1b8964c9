import { describe, expect, it } from 'vitest';
import { COLLECTION, CONFIG_MAP, ITEM, TABLE, startServer, startWithOne } from './server.fixture.ts';

describe('a response of the API server', () => {
  it('is 201 with the object for a create, and the stored bytes for a get', async () => {
    const { call } = await startServer();
    const created = await call('POST', COLLECTION, { body: CONFIG_MAP });
    expect(created.status).toBe(201);
    expect(created.json).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'c', namespace: 'a' } });
    const got = await call('GET', ITEM);
    expect(got.status).toBe(200);
    expect(got.json).toEqual(created.json);
    expect(got.header('content-type')).toBe('application/json');
    expect(got.header('cache-control')).toBe('no-cache, private');
  });

  it('is a Status with the name of the object for a delete', async () => {
    const { call } = await startWithOne();
    const { status, json } = await call('DELETE', ITEM);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      kind: 'Status',
      status: 'Success',
      details: { name: 'c', kind: 'configmaps' },
    });
    expect((await call('GET', ITEM)).json).toMatchObject({
      reason: 'NotFound',
      message: 'configmaps "c" not found',
    });
  });

  it('is a Table with columns and row metadata if the client requests it for a list', async () => {
    const { call } = await startWithOne();
    const { json } = await call('GET', COLLECTION, { headers: { accept: TABLE } });
    expect(json).toMatchObject({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      rows: [{ object: { kind: 'PartialObjectMetadata', metadata: { name: 'c' } } }],
    });
    expect((json['columnDefinitions'] as { name: string }[])[0]?.name).toBe('Name');
  });

  it('is a Table of column headers for an empty list', async () => {
    const { call } = await startServer();
    const { json } = await call('GET', COLLECTION, { headers: { accept: TABLE } });
    expect(json['rows']).toEqual([]);
    expect(json['columnDefinitions']).not.toEqual([]);
  });

  it('has metadata alone or is YAML if the client requests it', async () => {
    const { call } = await startWithOne();
    const as = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
    const { json } = await call('GET', COLLECTION, { headers: { accept: as } });
    expect(json).toMatchObject({ kind: 'PartialObjectMetadataList', items: [{ metadata: { name: 'c' } }] });
    const yaml = await call('GET', ITEM, { headers: { accept: 'application/yaml' } });
    expect(yaml.text).toContain('kind: ConfigMap\n');
  });

  it('is 406 for a list requested in the form of one object', async () => {
    const { call } = await startWithOne();
    const as = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
    expect((await call('GET', COLLECTION, { headers: { accept: as } })).json).toMatchObject({
      code: 406,
      message:
        'you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)',
    });
  });

  it('is indented for user agents of people and compact for programs', async () => {
    const { call } = await startWithOne();
    expect((await call('GET', ITEM, { headers: { 'user-agent': 'curl/8' } })).text).toContain('\n  "kind"');
    expect((await call('GET', `${ITEM}?pretty=true`)).text).toContain('\n  "kind"');
    expect((await call('GET', ITEM)).text).not.toContain('\n  ');
  });

  it('is a stream of lines that starts with the existing objects for a watch', async () => {
    const { caller } = await startWithOne();
    const response = await caller.request('GET', `${COLLECTION}?watch=1&resourceVersion=0`);
    for await (const event of response.events<{ type: string }>()) {
      expect(event).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'c' } } });
      break;
    }
  });

  it("has the client's audit id if that is valid, otherwise a generated one", async () => {
    const { call } = await startServer();
    expect((await call('GET', '/api', { headers: { 'audit-id': 'mine' } })).header('audit-id')).toBe('mine');
    expect((await call('GET', '/api')).header('audit-id')).toMatch(/^[0-9a-f-]{36}$/);
    const evil = await call('GET', '/api', { headers: { 'audit-id': 'a\r\nb: c' } });
    expect(evil.header('audit-id')).not.toContain('\n');
  });
});

describe('a defect', () => {
  it('causes a 500 without message or stack', async () => {
    const { call } = await startServer({
      stages: [
        {
          name: 'broken',
          run: (context, next) =>
            context.info.path === '/version' ? Promise.reject(new Error('secret')) : next(context),
        },
      ],
    });
    const { status, text } = await call('GET', '/version');
    expect(status).toBe(500);
    expect(text).toContain('InternalError');
    expect(text).not.toContain('secret');
  });

  it('in a handler that never responds is ended by the deadline', async () => {
    const { caller, clock } = await startServer({
      stages: [
        {
          name: 'stuck',
          run: (context, next) => (context.info.path === '/version' ? new Promise(() => {}) : next(context)),
        },
      ],
    });
    const answer = caller.request('GET', '/version');
    await clock.advance(60_000);
    expect((await answer).status).toBe(504);
  });
});

describe('a virtual resource', () => {
  it('has no Table form, but can be returned as metadata alone', async () => {
    const { call } = await startServer({
      virtual: [
        {
          group: 'authentication',
          version: 'v1',
          resource: 'tokenreviews',
          subresource: '',
          handle: (_context, body) => Promise.resolve({ ...body, status: { authenticated: true } }),
        },
      ],
    });
    const review = async (accept: string) => {
      const body = { metadata: { labels: { a: 'b' } }, spec: { token: 't' } };
      return call('POST', '/apis/authentication.k8s.io/v1/tokenreviews', {
        body,
        headers: { accept },
      });
    };
    expect(await review(TABLE)).toMatchObject({
      status: 406,
      json: {
        reason: 'NotAcceptable',
        message: expect.stringMatching(/^only the following media types are accepted: application\/json, /),
      },
    });
    expect(await review(`${TABLE},application/json`)).toMatchObject({
      status: 201,
      json: { kind: 'TokenReview' },
    });
    const { json } = await review('application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io');
    expect(json).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { labels: { a: 'b' } } });
    expect(json).not.toHaveProperty('status');
  });

  it('is passed to its handler with a decoded body', async () => {
    const { call } = await startServer({
      virtual: [
        {
          group: 'authentication',
          version: 'v1',
          resource: 'tokenreviews',
          subresource: '',
          handle: (_context, body) => Promise.resolve({ ...body, status: { authenticated: true } }),
        },
      ],
    });
    const { status, json } = await call('POST', '/apis/authentication.k8s.io/v1/tokenreviews', {
      body: { spec: { token: 't' } },
    });
    expect(status).toBe(201);
    expect(json).toMatchObject({
      kind: 'TokenReview',
      apiVersion: 'authentication.k8s.io/v1',
      spec: { token: 't' },
      status: { authenticated: true },
    });
  });
});
