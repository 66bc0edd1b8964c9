import { describe, expect, it } from 'vitest';
import { type Json, WIDGETS, startServer, widget, widgets } from './extensions.fixture.ts';

const ITEM = `${WIDGETS}/a`;
const SUBRESOURCES = {
  subresources: {
    status: {},
    scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.ready' },
  },
  additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
};
const typed = (type: string) => ({ headers: { 'content-type': type } });
const accepting = (accept: string) => ({ headers: { accept } });

/** Returns a response without the fields that differ from write to write. */
const shown = ({ metadata, ...rest }: Json): object => ({
  ...rest,
  metadata: { ...metadata, uid: '', resourceVersion: '' },
});

async function startWithOne(changes: object = SUBRESOURCES) {
  const started = await startServer();
  await started.define(widgets(['v1'], {}, changes));
  await started.call('POST', WIDGETS, widget('a', { color: 'red' }));
  return started;
}

describe('a custom resource', () => {
  it('is defaulted and pruned by a write', async () => {
    const { call } = await startWithOne();
    const { json } = await call('POST', WIDGETS, widget('b', { color: 'blue', unknown: 1 }));
    expect(json).toMatchObject({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { generation: 1 } });
    expect(json['spec']).toEqual({ color: 'blue', size: 1 });
  });

  it('has the same response from a dry run as from the write', async () => {
    const { define, call } = await startServer();
    const status = { type: 'object', default: { phase: 'New' }, properties: { phase: { type: 'string' } } };
    const spec = {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'integer', default: 1 } },
    };
    const openAPIV3Schema = { type: 'object', properties: { spec, status } };
    const changes = { schema: { openAPIV3Schema }, subresources: { status: {} } };
    await define(widgets(['v1', 'v2'], {}, changes));
    for (const version of ['v1', 'v2']) {
      const path = `/apis/example.com/${version}/namespaces/default/widgets`;
      const body = widget(`in-${version}`, { a: '1' }, `example.com/${version}`);
      const item = `${path}/in-${version}`;
      const merge = typed('application/merge-patch+json');
      const writes = [
        (query: string) => call('POST', path + query, body),
        (query: string) => call('PATCH', item + query, { spec: { a: '2', b: null } }, merge),
        (query: string) => call('PATCH', `${item}/status${query}`, { status: null }, merge),
        (query: string) => call('PATCH', item + query, { metadata: { finalizers: ['a/b'] } }, merge),
        (query: string) => call('DELETE', item + query),
      ];
      for (const write of writes) {
        const [tried, written] = [await write('?dryRun=All'), await write('')];
        expect([tried.status, shown(tried.json)]).toEqual([written.status, shown(written.json)]);
        expect(written.json).toMatchObject({ status: { phase: 'New' }, spec: { b: 1 } });
      }
    }
  });

  it('is validated by its schema', async () => {
    const { call } = await startWithOne();
    const { status, json } = await call('POST', WIDGETS, widget('b', { size: 'big' }));
    expect(status).toBe(422);
    expect(json['message']).toContain(
      'spec.size: Invalid value: "string": spec.size in body must be of type integer',
    );
  });

  it('must have the kind and apiVersion of its path', async () => {
    const { call } = await startWithOne();
    const bad = (body: object) => [400, `${(body as { message: string }).message}`];
    const nameless = await call('POST', WIDGETS, { metadata: { name: 'b' } });
    expect(bad(nameless.json)).toEqual([
      nameless.status,
      `Widget in version "v1" cannot be handled as a Widget: Object 'Kind' is missing in '{"metadata":{"name":"b"}}'`,
    ]);
    for (const apiVersion of ['', 'example.com/v2']) {
      const { status, json } = await call('POST', WIDGETS, { ...widget('b'), apiVersion });
      expect(bad(json)).toEqual([
        status,
        `the API version in the data (${apiVersion}) does not match the expected API version (example.com/v1)`,
      ]);
    }
    const refusal = `Gadget.example.com "a" is invalid: kind: Invalid value: "Gadget": must be Widget`;
    const put = await call('PUT', ITEM, { ...widget('a'), kind: 'Gadget' });
    expect([put.status, put.json['message']]).toEqual([422, refusal]);
    const patched = await call('PATCH', ITEM, { kind: 'Gadget' }, typed('application/merge-patch+json'));
    expect([patched.status, patched.json['message']]).toEqual([422, refusal]);
  });

  it.each([
    ['Kind', 'merge-patch+json', { kind: null }],
    ['Kind', 'merge-patch+json', { kind: '' }],
    ['Kind', 'json-patch+json', [{ op: 'remove', path: '/kind' }]],
    ['Kind', 'json-patch+json', [{ op: 'replace', path: '/kind', value: null }]],
    ['Kind', 'merge-patch+json', { kind: null, apiVersion: null }],
    ['apiVersion', 'merge-patch+json', { apiVersion: null }],
    ['apiVersion', 'merge-patch+json', { apiVersion: '' }],
    ['apiVersion', 'json-patch+json', [{ op: 'remove', path: '/apiVersion' }]],
  ])('rejects a patch that removes its %s: %s %j', async (field, type, body) => {
    const { call } = await startWithOne();
    for (const path of [ITEM, `${ITEM}/status`]) {
      const { status, json } = await call('PATCH', path, body, typed(`application/${type}`));
      expect([status, json['message']]).toEqual([
        422,
        expect.stringMatching(
          new RegExp(
            `^ "" is invalid: patch: Invalid value: "\\{.*\\}": Object '${field}' is missing in '\\{.*\\}'$`,
          ),
        ),
      ]);
      expect(json['details']).toMatchObject({ causes: [{ reason: 'FieldValueInvalid', field: 'patch' }] });
    }
    expect((await call('GET', ITEM)).json).toMatchObject({ kind: 'Widget', apiVersion: 'example.com/v1' });
  });

  it('rejects an update without a resource version', async () => {
    const { call } = await startWithOne();
    const { status, json } = await call('PUT', ITEM, widget('a'));
    expect([status, json['message']]).toEqual([
      422,
      'widgets.example.com "a" is invalid: metadata.resourceVersion: Invalid value: 0x0: must be specified for an update',
    ]);
  });

  it('gets 404 for a missing subresource and 400 for a field selector', async () => {
    const { call } = await startWithOne();
    const missing = await call('GET', `${ITEM}/nope`);
    expect([missing.status, missing.json['message']]).toEqual([404, 'widgets.example.com "a" not found']);
    const selected = await call('GET', `${WIDGETS}?fieldSelector=spec.size%3D1`);
    expect([selected.status, selected.json['message']]).toEqual([
      400,
      'field label not supported: spec.size',
    ]);
  });

  it('reports unknown and duplicate fields by the validation mode', async () => {
    const { call } = await startWithOne();
    const strict = await call('POST', `${WIDGETS}?fieldValidation=Strict`, widget('b', { unknown: 1 }));
    expect(strict.status).toBe(400);
    expect(strict.json['message']).toContain('unknown field "spec.unknown"');
    const warned = await call('POST', `${WIDGETS}?fieldValidation=Warn`, widget('b', { unknown: 1 }));
    expect(warned.header('warning')).toContain('unknown field "spec.unknown"'.replaceAll('"', '\\"'));
    const repeated = JSON.stringify(widget('c', { unknown: { a: 1 }, size: 1 })).replace(
      '"a":1',
      '"a":1,"a":2',
    );
    const both = await call('POST', `${WIDGETS}?fieldValidation=Strict`, repeated);
    expect(both.json['message']).toContain(
      'strict decoding error: duplicate field "spec.unknown.a", unknown field "spec.unknown"',
    );
  });

  it('is changed by JSON and merge patches and by apply', async () => {
    const { call } = await startWithOne();
    const patch = (type: string, body: unknown) => call('PATCH', ITEM, body, typed(`application/${type}`));
    const merged = await patch('merge-patch+json', { spec: { size: 2 } });
    expect(merged.json).toMatchObject({ spec: { size: 2 }, metadata: { generation: 2 } });
    const operations = [{ op: 'replace', path: '/spec/size', value: 3 }];
    expect((await patch('json-patch+json', operations)).json).toMatchObject({ spec: { size: 3 } });
    const applied = await call(
      'PATCH',
      `${ITEM}?fieldManager=me&force=true`,
      widget('a', { size: 4 }),
      typed('application/apply-patch+yaml'),
    );
    expect(applied.json).toMatchObject({ spec: { size: 4, color: 'red' } });
  });

  it.each(['', '/status', '/scale'])('rejects a strategic merge patch at "%s"', async (subresource) => {
    const { call } = await startWithOne();
    await call('PATCH', ITEM, { spec: { replicas: 1 } }, typed('application/merge-patch+json'));
    const type = typed('application/strategic-merge-patch+json');
    const { status, json } = await call('PATCH', `${ITEM}${subresource}`, {}, type);
    expect(status).toBe(415);
    expect(json).toMatchObject({
      reason: 'UnsupportedMediaType',
      message:
        'the body of the request was in an unknown format - accepted media types include: ' +
        'application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    });
  });

  it.each(['', '/status', '/scale'])(
    'lists the accepted patch types at "%s" for an unknown one',
    async (path) => {
      const { call } = await startWithOne();
      for (const type of ['application/json', 'text/plain', '']) {
        const { status, json } = await call('PATCH', `${ITEM}${path}`, '{}', typed(type));
        expect([type, status, json['message']]).toEqual([
          type,
          415,
          'the body of the request was in an unknown format - accepted media types include: ' +
            'application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
        ]);
      }
    },
  );

  it('accepts a finalizer without a domain', async () => {
    const { call } = await startWithOne();
    const finalizers = ['mine'];
    const created = widget('b');
    const { json, status } = await call('POST', WIDGETS, { ...created, metadata: { name: 'b', finalizers } });
    expect([status, json.metadata?.['finalizers']]).toEqual([201, finalizers]);
    const changed = await call(
      'PATCH',
      ITEM,
      { metadata: { finalizers } },
      typed('application/merge-patch+json'),
    );
    expect([changed.status, changed.json.metadata?.['finalizers']]).toEqual([200, finalizers]);
  });

  it.each([
    [
      { namespace: 42 },
      'map[string]interface {}{"namespace":42}',
      'number',
      'struct field ObjectMeta.namespace of type string',
    ],
    [7, '7', 'number', 'value of type v1.ObjectMeta'],
  ])('reports the whole invalid metadata %j of an embedded object', async (metadata, shown, found, where) => {
    const { define, call } = await startServer();
    const inner = {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    };
    await define(
      widgets(['v1'], {}, { schema: { openAPIV3Schema: { type: 'object', properties: { inner } } } }),
    );
    const post = async (body: object) =>
      (await call('POST', WIDGETS, { ...widget('b'), ...body })).json['message'];
    const refused = 'Widget in version "v1" cannot be handled as a Widget: ';
    expect(await post({ inner: { apiVersion: 'v1', kind: 'Inner', metadata } })).toBe(
      `${refused}inner.metadata: Invalid value: ${shown}: json: cannot unmarshal ${found} into Go ${where}`,
    );
    expect(await post({ inner: { apiVersion: 7, kind: 'Inner' } })).toBe(
      `${refused}inner.apiVersion: Invalid value: 7: must be a string`,
    );
    expect(await post({ metadata: { name: 'b', labels: { a: 1 } } })).toBe(
      `${refused}json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string`,
    );
  });

  it('records no ownership of unknown metadata fields in a default', async () => {
    const { define, call } = await startServer();
    const metadata = { name: 'inner', shade: 'x' };
    const inner = {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      properties: { kind: { type: 'string' } },
    };
    const schema = {
      type: 'object',
      properties: { inner: { ...inner, default: { apiVersion: 'v1', kind: 'Inner', metadata } } },
    };
    await define(widgets(['v1'], {}, { schema: { openAPIV3Schema: schema } }));
    const { apiVersion, kind } = widget('a') as { apiVersion: string; kind: string };
    const { json } = await call('POST', WIDGETS, { apiVersion, kind, metadata: { name: 'a' } });
    expect(json['inner']).toEqual({ apiVersion: 'v1', kind: 'Inner', metadata: { name: 'inner' } });
    expect(json.metadata?.['managedFields']).toMatchObject([
      { fieldsV1: { 'f:inner': { 'f:metadata': { '.': {}, 'f:name': {} } } } },
    ]);
    expect(JSON.stringify(json)).not.toContain('shade');
  });

  it.each([
    [[], 1],
    [[{}], 0],
  ])('has, given the managed fields %j, %i entries', async (managedFields, left) => {
    const { call } = await startWithOne();
    const patched = await call(
      'PATCH',
      ITEM,
      { metadata: { managedFields } },
      typed('application/merge-patch+json'),
    );
    expect(patched.json.metadata?.['managedFields'] ?? []).toHaveLength(left);
  });

  it('has no properties in OpenAPI version 2 if it preserves unknown fields', async () => {
    const { define, call, eventually } = await startServer();
    const openAPIV3Schema = {
      type: 'object',
      description: 'any',
      'x-kubernetes-preserve-unknown-fields': true,
    };
    await define(widgets(['v1'], {}, { schema: { openAPIV3Schema } }));
    const described = async () =>
      ((await call('GET', '/openapi/v2')).json['definitions'] as Record<string, unknown>)[
        'com.example.v1.Widget'
      ];
    await eventually(async () => (await described()) !== undefined);
    expect(await described()).toEqual({
      type: 'object',
      'x-kubernetes-group-version-kind': [{ group: 'example.com', version: 'v1', kind: 'Widget' }],
    });
  });

  it('lists its status before its scale in discovery', async () => {
    const { call } = await startWithOne();
    const { json } = await call('GET', '/apis/example.com/v1');
    expect((json['resources'] as { name: string }[]).map(({ name }) => name)).toEqual([
      'widgets',
      'widgets/status',
      'widgets/scale',
    ]);
  });

  it('has a protobuf form only of its metadata', async () => {
    const { call } = await startWithOne();
    const protobuf = 'application/vnd.kubernetes.protobuf';
    const whole = await call('GET', ITEM, undefined, accepting(protobuf));
    expect([whole.status, whole.header('content-type')]).toEqual([406, protobuf]);
    expect(whole.text).toContain(
      `only the following media types are accepted: application/json, application/yaml, ${protobuf}`,
    );
    const partial = `${protobuf};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`;
    const metadata = await call('GET', ITEM, undefined, accepting(`${partial},application/json`));
    expect([metadata.status, metadata.header('content-type')]).toEqual([200, protobuf]);
    const list = partial.replace('Metadata', 'MetadataList');
    expect((await call('GET', WIDGETS, undefined, accepting(list))).header('content-type')).toBe(protobuf);
    const watched = await call('GET', `${WIDGETS}?watch=1&timeoutSeconds=0`, undefined, accepting(protobuf));
    expect(watched.status).toBe(406);
    const streamed = await call(
      'GET',
      `${WIDGETS}?watch=1`,
      undefined,
      accepting('application/yaml;as=Table;g=meta.k8s.io;v=v1'),
    );
    expect([streamed.header('content-type'), streamed.json['message']]).toEqual([
      'application/json',
      `only the following media types are accepted: application/json;stream=watch, ${protobuf};stream=watch`,
    ]);
    const fallback = await call('GET', ITEM, undefined, accepting(`${protobuf},application/json`));
    expect(fallback.header('content-type')).toBe('application/json');
    expect((await call('POST', WIDGETS, 'k8s\0', typed(protobuf))).status).toBe(415);
  });

  it('is returned as a Table with its declared columns, and as metadata alone', async () => {
    const { call } = await startWithOne();
    const table = await call(
      'GET',
      WIDGETS,
      undefined,
      accepting('application/json;as=Table;v=v1;g=meta.k8s.io'),
    );
    expect(table.json).toMatchObject({
      columnDefinitions: [{ name: 'Name' }, { name: 'Size', type: 'integer' }],
      rows: [{ cells: ['a', 1] }],
    });
    const metadata = await call(
      'GET',
      WIDGETS,
      undefined,
      accepting('application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'),
    );
    expect(metadata.json).toMatchObject({
      kind: 'PartialObjectMetadataList',
      items: [{ metadata: { name: 'a' } }],
    });
  });

  it('separates writes of status and spec if it has a status subresource', async () => {
    const { call } = await startWithOne();
    const { json } = await call('GET', ITEM);
    const status = { ready: 2 };
    expect((await call('PUT', ITEM, { ...json, status })).json['status']).toBeUndefined();
    const written = await call('PUT', `${ITEM}/status`, { ...json, spec: { size: 9 }, status });
    expect(written.json).toMatchObject({ status, spec: { size: 1 }, metadata: { generation: 1 } });
  });

  it.each([
    ['DELETE', `${ITEM}/status`, 'delete is not supported on resources of kind "widgets.example.com"'],
    ['POST', `${ITEM}/scale`, 'create is not supported on resources of kind "widgets.example.com"'],
    ['OPTIONS', ITEM, ' is not supported on resources of kind "widgets.example.com"'],
  ])('rejects %s %s with 405', async (method, path, message) => {
    const { call } = await startWithOne();
    const details = { group: 'example.com', kind: 'widgets' };
    expect((await call(method, path, method === 'POST' ? {} : undefined)).json).toMatchObject({
      code: 405,
      reason: 'MethodNotAllowed',
      message,
      details,
    });
  });

  it.each(['PUT', 'PATCH'])('requires a name for %s', async (method) => {
    const { call } = await startWithOne();
    const answer = await call(
      method,
      ITEM.slice(0, ITEM.lastIndexOf('/')),
      {},
      typed('application/merge-patch+json'),
    );
    expect(answer.json).toMatchObject({ code: 400, message: 'name must be provided' });
  });

  it('is scaled at the paths that its definition declares', async () => {
    const { call } = await startWithOne();
    const missing = await call('GET', `${ITEM}/scale`);
    expect(missing.json).toMatchObject({
      code: 500,
      message: 'Internal error occurred: the spec replicas field ".spec.replicas" does not exist',
    });
    const scale = {
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: 'a', namespace: 'default' },
    };
    const scaled = await call('PUT', `${ITEM}/scale`, { ...scale, spec: { replicas: 3 } });
    expect(scaled.json).toMatchObject({ kind: 'Scale', spec: { replicas: 3 } });
    expect((await call('GET', ITEM)).json).toMatchObject({
      spec: { replicas: 3 },
      metadata: { generation: 2 },
    });
    expect((await call('GET', `${ITEM}/scale`)).json).toMatchObject({ spec: { replicas: 3 } });
  });

  it('is scaled without replicas by a patch that sets them', async () => {
    const { call } = await startWithOne();
    const empty = await call(
      'PATCH',
      `${ITEM}/scale`,
      { metadata: {} },
      typed('application/merge-patch+json'),
    );
    expect(empty.json).toMatchObject({
      code: 400,
      reason: 'BadRequest',
      message: 'the spec replicas field ".spec.replicas" cannot be empty',
    });
    const replace = [{ op: 'replace', path: '/spec/replicas', value: 2 }];
    const patched = await call('PATCH', `${ITEM}/scale`, replace, typed('application/json-patch+json'));
    expect(patched.json).toMatchObject({ kind: 'Scale', spec: { replicas: 2 } });
    const merged = await call(
      'PATCH',
      `${ITEM}/scale`,
      { spec: { replicas: 4 } },
      typed('application/merge-patch+json'),
    );
    expect(merged.json).toMatchObject({ spec: { replicas: 4 } });
    expect((await call('GET', ITEM)).json).toMatchObject({ spec: { replicas: 4 } });
  });

  it('has only the subresources of its definition', async () => {
    const { call } = await startWithOne({});
    expect((await call('GET', `${ITEM}/status`)).status).toBe(404);
    expect((await call('GET', `${ITEM}/scale`)).status).toBe(404);
  });

  it('is not stored by a dry run', async () => {
    const { call } = await startWithOne();
    expect((await call('POST', `${WIDGETS}?dryRun=All`, widget('b'))).status).toBe(201);
    expect((await call('GET', `${WIDGETS}/b`)).status).toBe(404);
  });

  it('is deleted with its collection', async () => {
    const { call } = await startWithOne();
    await call('POST', WIDGETS, widget('b'));
    expect((await call('DELETE', WIDGETS)).status).toBe(200);
    expect((await call('GET', WIDGETS)).json['items']).toEqual([]);
  });
});

describe('a definition that changes', () => {
  it('applies new defaults to stored objects and omits removed fields', async () => {
    const { call, eventually, define } = await startServer();
    await define(widgets());
    await call('POST', WIDGETS, widget('a', { color: 'red', size: 5 }));
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com';
    const spec = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties';
    const changed = await call(
      'PATCH',
      path,
      [
        { op: 'add', path: `${spec}/shape`, value: { type: 'string', default: 'round' } },
        { op: 'remove', path: `${spec}/color` },
      ],
      typed('application/json-patch+json'),
    );
    expect(changed.status).toBe(200);
    await eventually(async () => 'shape' in ((await call('GET', ITEM)).json['spec'] as object));
    expect((await call('GET', ITEM)).json['spec']).toEqual({ size: 5, shape: 'round' });
    expect((await call('GET', WIDGETS)).json['items']).toMatchObject([{ spec: { size: 5, shape: 'round' } }]);
  });

  it('applies the defaults of the storage version, not of the requested one', async () => {
    const { call, eventually, define } = await startServer();
    await define(widgets(['v1', 'v2']));
    await call('POST', WIDGETS, widget('a'));
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com';
    const added = (version: number, field: string, value: object): object => ({
      op: 'add',
      path: `/spec/versions/${version}/schema/openAPIV3Schema/properties/spec/properties/${field}`,
      value: { type: 'string', ...value },
    });
    const changes = [
      added(0, 'shape', { default: 'round' }),
      added(1, 'shape', {}),
      added(1, 'weight', { default: 'light' }),
    ];
    await call('PATCH', path, changes, typed('application/json-patch+json'));
    const seen = async () => (await call('GET', ITEM.replace('/v1/', '/v2/'))).json['spec'] as object;
    await eventually(async () => 'shape' in (await seen()));
    expect(await seen()).toEqual({ size: 1, shape: 'round' });
  });

  it('does not end watches if the served kinds are unchanged', async () => {
    const { call, caller, define } = await startServer();
    await define(widgets());
    const watching = await caller.request('GET', `${WIDGETS}?watch=1&timeoutSeconds=30`);
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com';
    await call('PATCH', path, { metadata: { labels: { a: 'b' } } }, typed('application/merge-patch+json'));
    await call('POST', WIDGETS, widget('later'));
    await call('DELETE', path);
    expect(await watching.text()).toContain('"name":"later"');
  });
});

describe('versions with the same schema', () => {
  const V2 = '/apis/example.com/v2/namespaces/default/widgets';

  it('show the same objects, whichever version is stored', async () => {
    const { call, define, storage } = await startServer();
    await define(widgets(['v1', 'v2']));
    await call('POST', V2, widget('a', { color: 'red' }, 'example.com/v2'));
    expect((await call('GET', ITEM)).json).toMatchObject({
      apiVersion: 'example.com/v1',
      spec: { color: 'red' },
    });
    expect((await call('GET', `${V2}/a`)).json).toMatchObject({ apiVersion: 'example.com/v2' });
    const stored = await storage.get('/registry/example.com/widgets/default/a');
    expect(String(stored?.value)).toContain('"apiVersion":"example.com/v1"');
  });

  it('remain readable after a change of the storage version, and a write without changes migrates an object', async () => {
    const { call, define, eventually, storage } = await startServer();
    await define(widgets(['v1', 'v2']));
    await call('POST', WIDGETS, widget('a', { color: 'red' }));
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com';
    const operations = [
      { op: 'replace', path: '/spec/versions/0/storage', value: false },
      { op: 'replace', path: '/spec/versions/1/storage', value: true },
    ];
    const { json } = await call('PATCH', path, operations, typed('application/json-patch+json'));
    expect(json).toMatchObject({ status: { storedVersions: ['v1', 'v2'] } });
    await eventually(async () => (await call('GET', `${V2}/a`)).status === 200);
    expect((await call('GET', ITEM)).json).toMatchObject({
      apiVersion: 'example.com/v1',
      spec: { color: 'red' },
    });
    const at = async () => String((await storage.get('/registry/example.com/widgets/default/a'))?.value);
    expect(await at()).toContain('"apiVersion":"example.com/v1"');
    await eventually(async () => {
      await call('PUT', ITEM, (await call('GET', ITEM)).json);
      return (await at()).includes('"apiVersion":"example.com/v2"');
    });
    expect((await call('GET', ITEM)).json).toMatchObject({ apiVersion: 'example.com/v1' });
  });
});
