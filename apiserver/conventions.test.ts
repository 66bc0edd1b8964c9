import { describe, expect, it } from 'vitest';
import { features } from '../api/features/features.ts';
import { configMaps, namespaces, pods } from '../api/groups/index.ts';
import { type AnyKind, createScheme } from '../api/kinds/scheme.ts';
import { forbidden } from '../api/status/api-error.ts';
import { kubernetesVocabulary } from '../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../base/clock/simulated.ts';
import { createFeatureGates } from '../base/feature-gates/feature-gates.ts';
import { silentLogger } from '../base/log/logger.ts';
import { createSeededRandom } from '../base/random/seeded.ts';
import { createInMemoryCaller, type InMemoryRequest } from './http/in-memory.ts';
import { createApiServer } from './server.ts';
import { createMemoryStorage } from './storage/memory.ts';
import { stampResourceVersion } from './storage/stamp.ts';

const KINDS = [configMaps, namespaces, pods] as unknown as readonly AnyKind[];
const COLLECTION = '/api/v1/namespaces/a/configmaps';
const ITEM = `${COLLECTION}/c`;

interface WatchEvent {
  readonly type: string;
  readonly object: { readonly metadata: { readonly name?: string } };
}

/** Starts a server with two ConfigMaps that denies only `alice` access and rejects objects named `refused`. */
async function start(gates: readonly string[] = []) {
  const server = createApiServer({
    scheme: createScheme(kubernetesVocabulary, KINDS),
    environment: { clock: createSimulatedClock(), random: createSeededRandom(1), log: silentLogger },
    storage: createMemoryStorage({ stamp: stampResourceVersion }),
    features: createFeatureGates(features, gates),
    authenticators: [
      {
        name: 'test',
        authenticate: (request) =>
          Promise.resolve({ user: { username: request.headers['user']?.[0] ?? 'admin', groups: [] } }),
      },
    ],
    authorizer: {
      name: 'test',
      authorize: ({ user }) =>
        Promise.resolve({ verdict: user.username === 'alice' ? 'no-opinion' : 'allow', reason: '' }),
    },
    admission: [
      {
        name: 'Test',
        operations: ['CREATE'],
        validate: ({ name }) =>
          name === 'refused'
            ? Promise.reject(forbidden({ group: '', resource: 'configmaps' }, name, 'no'))
            : Promise.resolve(),
      },
    ],
  });
  await server.start();
  const caller = createInMemoryCaller(server.handler);
  const call = async (method: string, url: string, request: InMemoryRequest = {}) => {
    const response = await caller.request(method, url, request);
    const text = await response.text();
    const json = (text.startsWith('{') ? JSON.parse(text) : {}) as {
      readonly message?: string;
      readonly metadata?: { readonly remainingItemCount?: number; readonly continue?: string };
      readonly items?: readonly unknown[];
    };
    return { status: response.status, text, json, header: (name: string) => response.header(name) };
  };
  await call('POST', '/api/v1/namespaces', { body: { metadata: { name: 'a' } } });
  for (const name of ['c', 'd']) await call('POST', COLLECTION, { body: { metadata: { name } } });
  return { server, call, caller };
}

describe('an error response', () => {
  it('has the nosniff header if authorization denies the request, and not if a handler rejects it', async () => {
    const { call } = await start();
    const denied = await call('GET', ITEM, { headers: { user: 'alice' } });
    expect([denied.status, denied.header('x-content-type-options')]).toEqual([403, 'nosniff']);
    const refused = await call('POST', COLLECTION, { body: { metadata: { name: 'refused' } } });
    expect([refused.status, refused.header('x-content-type-options')]).toEqual([403, undefined]);
  });

  it('for a field manager names each unprintable character and its position', async () => {
    const { call } = await start();
    const answer = await call('POST', `${COLLECTION}?fieldManager=a%00b`, {
      body: { metadata: { name: 'x' } },
    });
    expect(answer.json.message).toBe(
      'CreateOptions.meta.k8s.io "" is invalid: fieldManager: Invalid value: "a\\x00b": invalid character U+0000 (at position 1)',
    );
  });

  it('for a patched document shows the document with sorted keys', async () => {
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

  it("for delete options has the decoder's message", async () => {
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
  ])('%s %s returns %i, although its segments are known', async (method, path, status) => {
    const { call } = await start();
    const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    expect((await call('POST', '/api/v1/namespaces/a/pods', { body: pod })).status).toBe(201);
    expect((await call(method, path)).status).toBe(status);
  });
});

describe('a watch on the path of one object', () => {
  it.each(['', '=', 'metadata.name=c', 'metadata.namespace=a,metadata.name=c'])(
    'receives only that object, which alone was authorized, with the field selector %j',
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
  it('has no effect without a value and is rejected with an empty value', async () => {
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

describe('a disabled feature', () => {
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

describe('the metrics', () => {
  it('show features, objects, admission and users, and hide deprecated ones', async () => {
    const { call } = await start();
    await call('GET', ITEM, { headers: { user: 'system:anonymous' } });
    const { text } = await call('GET', '/metrics');
    expect(text).toContain('kubernetes_feature_enabled{name="CronJobTimeZone",stage="ALPHA"} 0');
    expect(text).toContain('apiserver_storage_objects{resource="configmaps"} 2');
    expect(text).toContain(
      'apiserver_admission_controller_admission_duration_seconds_count{name="Test",operation="CREATE",rejected="false",type="validate"} 3',
    );
    expect(text).toContain('authenticated_user_requests{username="other"} 1');
    expect(text).toMatch(/apiserver_response_sizes_count\{.*resource="configmaps".*verb="GET".*\} 1/);
    expect(text).not.toContain('apiserver_longrunning_gauge');
  });

  it('show what lists read from the cache and from the store', async () => {
    const { call } = await start();
    await call('GET', `${COLLECTION}?resourceVersion=0`);
    await call('GET', `${COLLECTION}?limit=1&fieldSelector=metadata.name!=c`);
    const { json } = await call('GET', `${COLLECTION}?limit=1`);
    const { continue: token = '' } = json.metadata as { continue?: string };
    await call('GET', `${COLLECTION}?limit=1&continue=${encodeURIComponent(token)}`);
    const { text } = await call('GET', '/metrics');
    for (const line of [
      'cache_list_total{index="",resource_prefix="/configmaps"} 3',
      'cache_list_fetched_objects_total{index="",resource_prefix="/configmaps"} 6',
      'cache_list_returned_objects_total{resource_prefix="/configmaps"} 4',
      'storage_list_total{resource="configmaps"} 1',
      'storage_list_fetched_objects_total{resource="configmaps"} 1',
      'storage_list_evaluated_objects_total{resource="configmaps"} 1',
      'storage_list_returned_objects_total{resource="configmaps"} 1',
    ])
      expect(text).toContain(`apiserver_${line}\n`);
  });

  it('show the durations of filters, of admission phases, and of requests without webhooks', async () => {
    const { call } = await start();
    await call('GET', COLLECTION);
    await call('GET', COLLECTION, { headers: { user: 'system:apiserver' } });
    const { text } = await call('GET', '/metrics');
    for (const filter of ['authentication', 'audit', 'impersonation', 'priorityandfairness', 'authorization'])
      expect(text).toMatch(
        new RegExp(`apiserver_request_filter_duration_seconds_count\\{filter="${filter}"\\} [1-9]`),
      );
    const step = 'apiserver_admission_step_admission_duration_seconds_summary';
    expect(text).toContain(`# TYPE ${step} summary`);
    expect(text).toMatch(new RegExp(`${step}\\{operation="CREATE",.*type="validate",quantile="0.99"\\} `));
    expect(text).toMatch(/apiserver_request_slo_duration_seconds_count\{.*group="",.*verb="LIST",.*\} 2\n/);
    expect(text).toContain('apiserver_selfrequest_total{resource="configmaps",subresource="",verb="LIST"} 1');
    expect(text).toContain('# TYPE apiserver_request_aborts_total counter');
  });

  it('show the duration of store operations by object type', async () => {
    const { call } = await start();
    await call('PATCH', ITEM, {
      body: { data: { a: 'b' } },
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    await call('DELETE', ITEM);
    const { text } = await call('GET', '/metrics');
    const lines = [...text.matchAll(/^etcd_request_duration_seconds_count\{(.*ConfigMap.*)\} (\d+)$/gm)];
    expect(Object.fromEntries(lines.map(([, labels, count]) => [labels, Number(count)]))).toMatchObject({
      'operation="create",type="*core.ConfigMap"': 2,
      'operation="update",type="*core.ConfigMap"': 1,
      'operation="delete",type="*core.ConfigMap"': 1,
      'operation="list",type="*core.ConfigMapList"': 1,
    });
    expect(text).toContain(
      'etcd_request_duration_seconds_bucket{operation="create",type="*core.ConfigMap",le="0.005"}',
    );
  });

  it('show the number of initial objects of watches', async () => {
    const { call, caller } = await start();
    await caller.request('GET', `${COLLECTION}?watch=1&resourceVersion=0`);
    expect((await call('GET', '/metrics')).text).toContain(
      'apiserver_init_events_total{resource="*core.ConfigMap"} 2',
    );
  });

  it('show connections with the verb CONNECT', async () => {
    const { call } = await start();
    await call('POST', '/api/v1/namespaces/a/pods/p/exec?command=ls');
    const { text } = await call('GET', '/metrics');
    expect(text).toMatch(/apiserver_request_total\{code="404",.*subresource="exec",verb="CONNECT",.*\} 1/);
  });
});
