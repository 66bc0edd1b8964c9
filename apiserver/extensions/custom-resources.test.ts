import { describe, expect, it } from 'vitest';
import { WIDGETS, startServer, widget, widgets } from './extensions.fixture.ts';
import { ITEM, shown, startWithOne, typed } from './custom-resources.fixture.ts';

describe('custom resource', () => {
  it('is defaulted and pruned by a write', async () => {
    const { call } = await startWithOne();
    const { json } = await call('POST', WIDGETS, widget('b', { color: 'blue', unknown: 1 }));
    expect(json).toMatchObject({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { generation: 1 } });
    expect(json['spec']).toEqual({ color: 'blue', size: 1 });
  });

  it('has the same representation in a dry run as in the write', async () => {
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

  it('returns 404 for a missing subresource and 400 for a field selector', async () => {
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

  it('can be changed by JSON patch, merge patch and apply', async () => {
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
  ])('with the managed fields %j has %i entries', async (managedFields, left) => {
    const { call } = await startWithOne();
    const patched = await call(
      'PATCH',
      ITEM,
      { metadata: { managedFields } },
      typed('application/merge-patch+json'),
    );
    expect(patched.json.metadata?.['managedFields'] ?? []).toHaveLength(left);
  });

  it('is not stored by a dry run', async () => {
    const { call } = await startWithOne();
    expect((await call('POST', `${WIDGETS}?dryRun=All`, widget('b'))).status).toBe(201);
    expect((await call('GET', `${WIDGETS}/b`)).status).toBe(404);
  });

  it('is deleted by a deletion of its collection', async () => {
    const { call } = await startWithOne();
    await call('POST', WIDGETS, widget('b'));
    expect((await call('DELETE', WIDGETS)).status).toBe(200);
    expect((await call('GET', WIDGETS)).json['items']).toEqual([]);
  });
});
