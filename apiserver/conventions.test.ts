import { describe, expect, it } from 'vitest';
import { COLLECTION, ITEM, type WatchEvent, start } from './conventions.fixture.ts';

describe('an error response', () => {
  it('has the nosniff header if authorization denies the request, and not if a handler rejects it', async () => {
    const { call } = await start();
    const denied = await call('GET', ITEM, { headers: { user: 'alice' } });
    expect([denied.status, denied.header('x-content-type-options')]).toEqual([403, 'nosniff']);
    const refused = await call('POST', COLLECTION, { body: { metadata: { name: 'refused' } } });
    expect([refused.status, refused.header('x-content-type-options')]).toEqual([403, undefined]);
  });

  it('for an invalid field manager names each unprintable character and its position', async () => {
    const { call } = await start();
    const answer = await call('POST', `${COLLECTION}?fieldManager=a%00b`, {
      body: { metadata: { name: 'x' } },
    });
    expect(answer.json.message).toBe(
      'CreateOptions.meta.k8s.io "" is invalid: fieldManager: Invalid value: "a\\x00b": invalid character U+0000 (at position 1)',
    );
  });

  it('for a patched object contains the object with sorted keys', async () => {
    const { call } = await start();
    const answer = await call('PATCH', ITEM, {
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { data: 5 },
    });
    expect(answer.status).toBe(422);
    expect(answer.json.message).toMatch(
      /^ "" is invalid: patch: Invalid value: "\{\\"apiVersion\\":\\"v1\\",\\"data\\":5,\\"kind\\":\\"ConfigMap\\",\\"metadata\\":/,
    );
  });

  it("for invalid delete options has the decoder's message", async () => {
    const { call } = await start();
    const answer = await call('DELETE', ITEM, { body: { gracePeriodSeconds: 'x' } });
    expect([answer.status, answer.json.message]).toEqual([
      500,
      'json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64',
    ]);
  });
});

describe('a YAML body with a repeated key', () => {
  const TWICE = 'metadata:\n  name: x\ndata:\n  k: a\n  k: b\nnope: 1\n';
  const yaml = { 'content-type': 'application/yaml' };
  const apply = { 'content-type': 'application/apply-patch+yaml' };
  const applied = `apiVersion: v1\nkind: ConfigMap\n${TWICE.replace('nope: 1\n', '')}`;

  it('is rejected in strict mode, with the repeated key before the unknown field', async () => {
    const { call } = await start();
    const answer = await call('POST', `${COLLECTION}?fieldValidation=Strict`, { headers: yaml, body: TWICE });
    expect([answer.status, answer.json.message]).toEqual([
      400,
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: yaml: unmarshal errors:\n' +
        '  line 5: key "k" already set in map, unknown field "nope"',
    ]);
  });

  it('is accepted with a warning by default, and without one if field validation is off', async () => {
    const { call } = await start();
    const warned = await call('POST', COLLECTION, { headers: yaml, body: TWICE });
    expect(warned.status).toBe(201);
    expect(warned.header('warning')).toContain('299 - "line 5: key \\"k\\" already set in map"');
    expect(warned.json).toMatchObject({ data: { k: 'b' } });
    const other = TWICE.replace('name: x', 'name: other');
    const taken = await call('POST', `${COLLECTION}?fieldValidation=Ignore`, { headers: yaml, body: other });
    expect([taken.status, taken.header('warning')]).toEqual([201, undefined]);
  });

  it.each([
    ['as YAML', applied, 7],
    [
      'as JSON',
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},\n"data":{"k":"a",\n"k":"b"}}',
      3,
    ],
  ])(
    'is applied, written %s, with the last value, unless strict mode rejects it',
    async (_how, body, line) => {
      const { call } = await start();
      const path = `${COLLECTION}/x?fieldManager=m`;
      const refused = await call('PATCH', `${path}&fieldValidation=Strict`, { headers: apply, body });
      expect([refused.status, refused.json.message]).toEqual([
        400,
        `error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line ${line}: key "k" already set in map`,
      ]);
      const warned = await call('PATCH', path, { headers: apply, body });
      expect([warned.status, warned.header('warning')]).toEqual([
        201,
        `299 - "line ${line}: key \\"k\\" already set in map"`,
      ]);
      expect(warned.json).toMatchObject({ data: { k: 'b' } });
    },
  );
});

describe('a namespace', () => {
  it('is reachable only by its own path, never through another namespace with more rights', async () => {
    const { call } = await start();
    await call('POST', '/api/v1/namespaces', { body: { metadata: { name: 'b' } } });
    for (const path of ['/api/v1/namespaces/a', '/api/v1/namespaces/a/', '/api/v1/namespaces/a/status'])
      expect([path, (await call('GET', path)).status]).toEqual([path, 200]);
    const through = '/api/v1/namespaces/a/namespaces';
    for (const [method, path] of [
      ['GET', through],
      ['GET', `${through}/`],
      ['GET', `${through}/a`],
      ['GET', `${through}/b`],
      ['GET', `${through}/b/status`],
      ['GET', `${through}?fieldSelector=metadata.name%3Da`],
      ['GET', `${through}?watch=1`],
      ['GET', '/api/v1/watch/namespaces/a/namespaces'],
      ['POST', through],
      ['DELETE', through],
      ['DELETE', `${through}/b`],
    ] as const)
      expect([method, path, (await call(method, path)).status]).toEqual([method, path, 404]);
  });
});

describe('a path outside the API', () => {
  it.each([
    ['GET', '/apis//v1', 404],
    ['GET', '/apis//v1/namespaces/a/configmaps', 404],
    ['GET', '//api/v1/namespaces/a/configmaps', 404],
    ['GET', '/api/v1//namespaces/a/configmaps', 404],
    ['GET', '/api/v1/namespaces/a/pods/p/status/status', 404],
    ['DELETE', '/api/v1/watch/namespaces/a/configmaps/c', 405],
    ['POST', '/api/v1/watch/namespaces/a/configmaps', 405],
    ['GET', '/api/v1/proxy/namespaces/a/pods/p', 404],
    ['DELETE', '/api/v1/proxy/namespaces/a/pods/p', 404],
    ['HEAD', '/api/v1/namespaces/a/pods/p', 405],
    ['HEAD', '/api/v1/namespaces/a/pods/p/status', 405],
    ['HEAD', '/api/v1/namespaces/a/pods/p/bogus', 404],
    ['OPTIONS', '/api/v1/namespaces/a/pods/p/bogus', 404],
  ])('%s %s returns %i, although the segments of the path are known', async (method, path, status) => {
    const { call } = await start();
    const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    expect((await call('POST', '/api/v1/namespaces/a/pods', { body: pod })).status).toBe(201);
    expect((await call(method, path)).status).toBe(status);
  });
});

describe('a watch on the path of one object', () => {
  it.each(['', '=', 'metadata.name=c', 'metadata.namespace=a,metadata.name=c'])(
    'receives only that object, the only one that was authorized, with the field selector %j',
    async (selector) => {
      const { caller } = await start();
      const initial = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
      const { events } = await caller.request(
        'GET',
        `/api/v1/watch/namespaces/a/configmaps/c?${initial}&fieldSelector=${encodeURIComponent(selector)}`,
      );
      const seen: unknown[] = [];
      for await (const { type, object } of events<WatchEvent>()) {
        seen.push([type, object.metadata.name]);
        if (type === 'BOOKMARK') break;
      }
      expect(seen).toEqual([
        ['ADDED', 'c'],
        ['BOOKMARK', undefined],
      ]);
    },
  );

  it.each([
    ['metadata.name=x', "fieldSelector metadata.name doesn't match requested name"],
    ['metadata.name!=x', "fieldSelector metadata.name doesn't match requested name"],
    ['metadata.namespace=a', "fieldSelector metadata.name doesn't match requested name"],
    ['other=x', '"other" is not a known field selector: only "metadata.name", "metadata.namespace"'],
    ['other', "invalid selector: 'other'; can't understand 'other'"],
  ])('rejects the field selector %j, which does not name the object', async (selector, message) => {
    const { call } = await start();
    const refused = await call(
      'GET',
      `/api/v1/watch/namespaces/a/configmaps/c?fieldSelector=${encodeURIComponent(selector)}`,
    );
    expect([refused.status, refused.json.message]).toEqual([400, message]);
  });
});

describe('an unreadable patch', () => {
  const send = (type: string, body: string, path: string) =>
    [path, { body, headers: { 'content-type': type } }] as const;

  it.each([
    ['application/json-patch+json', '{', ITEM, 'unexpected end of JSON input'],
    ['application/merge-patch+json', '', ITEM, 'unexpected end of JSON input'],
    [
      'application/merge-patch+json',
      '{"a":1e400}',
      ITEM,
      'json: cannot unmarshal number 1e400 into Go value of type float64',
    ],
    [
      'application/apply-patch+yaml',
      'a: b: c',
      `${ITEM}?fieldManager=m`,
      'error decoding YAML: error converting YAML to JSON: yaml: mapping values are not allowed in this context',
    ],
  ])('returns 400 for an existing object and 404 for a missing one: %s %j', async (...given) => {
    const [type, body, item, message] = given;
    const { call } = await start();
    const refused = await call('PATCH', ...send(type, body, item));
    expect([refused.status, refused.json.message]).toEqual([400, message]);
    const applies = type.startsWith('application/apply');
    const missing = await call('PATCH', ...send(type, body, item.replace(ITEM, `${COLLECTION}/none`)));
    expect(missing.status).toBe(applies ? 400 : 404);
  });
});

describe('a dry run', () => {
  it('is not requested by a parameter without a value, and is rejected with an empty value', async () => {
    const { call } = await start();
    const create = (query: string, name: string) =>
      call('POST', `${COLLECTION}?${query}`, { body: { metadata: { name } } });
    expect((await create('dryRun', 'x')).status).toBe(201);
    expect((await call('GET', `${COLLECTION}/x`)).status).toBe(200);
    const empty = await create('dryRun=&pretty=1', 'y');
    expect([empty.status, empty.json.message]).toEqual([
      422,
      'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: []string{""}: supported values: "All"',
    ]);
  });

  it('deletes nothing, whether the query or the body requests it', async () => {
    const { call } = await start();
    for (const [url, body] of [
      [`${ITEM}?dryRun=All`, { gracePeriodSeconds: 0 }],
      [`${COLLECTION}?dryRun=All`, { propagationPolicy: 'Background' }],
      [ITEM, { dryRun: ['All'] }],
    ] as const) {
      expect((await call('DELETE', url, { body })).status).toBe(200);
      expect((await call('GET', ITEM)).status).toBe(200);
    }
  });
});

describe('a disabled feature gate', () => {
  it('APIListChunking disables paging, and RemainingItemCount the count of remaining items', async () => {
    const on = await start();
    const page = await on.call('GET', `${COLLECTION}?limit=1`);
    expect(page.json.metadata?.remainingItemCount).toBe(1);
    const uncounted = await (await start(['RemainingItemCount=false'])).call('GET', `${COLLECTION}?limit=1`);
    expect(uncounted.json.metadata?.remainingItemCount).toBeUndefined();
    expect(uncounted.json.items).toHaveLength(1);
    const whole = await (await start(['APIListChunking=false'])).call('GET', `${COLLECTION}?limit=1`);
    expect(whole.json.items).toHaveLength(2);
    expect(whole.json.metadata?.continue).toBeUndefined();
  });

  it('OpenAPIV3 removes the v3 documents', async () => {
    expect((await (await start()).call('GET', '/openapi/v3')).status).toBe(200);
    expect((await (await start(['OpenAPIV3=false'])).call('GET', '/openapi/v3')).status).toBe(404);
  });
});
