import { describe, expect, it } from 'vitest';
import {
  configMaps,
  ingresses,
  jobs,
  namespaces,
  networkPolicies,
  nodes,
  tokenReviews,
} from '../../../api/groups/index.ts';
import { forbidden } from '../../../api/status/api-error.ts';
import type { ObjectMeta } from '../../../api/types/meta-v1.ts';
import { configMap, deleting, listing, refusal, startFixture, writing } from '../registry.fixture.ts';

const NAME_REQUIRED =
  'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required';

describe('create', () => {
  it('accepts an apiVersion with an empty name for the core group', async () => {
    const { of } = await startFixture();
    const body = { ...configMap('a'), apiVersion: '/v1' };
    const { object } = await of(configMaps).create('default', body, writing());
    expect(object).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1' });
  });

  it('returns the stored bytes with all fields that the server sets', async () => {
    const { of, storage } = await startFixture();
    const made = await of(configMaps).create('default', configMap('a', { k: 'v' }), writing());
    expect(made.created).toBe(true);
    expect(JSON.parse(made.bytes.toString())).toEqual({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: {
        name: 'a',
        namespace: 'default',
        uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        resourceVersion: '1',
        creationTimestamp: '2026-01-01T00:00:00Z',
        managedFields: [
          {
            manager: 'test',
            operation: 'Update',
            apiVersion: 'v1',
            time: '2026-01-01T00:00:00Z',
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:data': { '.': {}, 'f:k': {} } },
          },
        ],
      },
      data: { k: 'v' },
    });
    expect((await storage.get('/registry/core/configmaps/default/a'))?.value).toEqual(made.bytes);
  });

  it.each([
    ['a namespaced kind of a named group', jobs, '/registry/batch/jobs/default/'],
    ['a cluster-scoped kind', nodes, '/registry/core/nodes/'],
  ])('stores %s below its own prefix', async (_name, kind, prefix) => {
    const { of, storage } = await startFixture();
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
    await of(kind).create(
      'default',
      { metadata: { name: 'x' }, ...(kind === jobs ? { spec: { template } } : {}) },
      writing(),
    );
    expect((await storage.list('/registry/')).items.map(({ key }) => key)).toEqual([`${prefix}x`]);
  });

  it('names the former group of Ingresses and NetworkPolicies in error responses', async () => {
    const { of } = await startFixture();
    for (const kind of [ingresses, networkPolicies]) {
      const { status } = await refusal(of(kind).create('default', { metadata: { name: 'A' } }, writing()));
      expect([status.details?.group, status.message]).toEqual([
        'extensions',
        expect.stringMatching(new RegExp(`^${kind.kind}\\.extensions "A" is invalid: `)),
      ]);
    }
  });

  it.each([
    ['null', null],
    ['an empty object', {}],
    ['an object without metadata', { apiVersion: 'v1', kind: 'ConfigMap' }],
    ['empty names', configMap('', {}, { generateName: '' })],
  ])('rejects %s because the name is missing', async (_name, body) => {
    const { of } = await startFixture();
    const error = await refusal(of(configMaps).create('default', body, writing()));
    expect([error.code, error.message]).toEqual([422, NAME_REQUIRED]);
  });

  it.each([
    [
      'a body of another kind',
      { kind: 'Secret', apiVersion: 'v1' },
      'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
    ],
    [
      'a list of its kind',
      { kind: 'ConfigMapList', apiVersion: 'v1', items: [] },
      'ConfigMapList in version "v1" cannot be handled as a ConfigMap: converting (v1.ConfigMapList) to (core.ConfigMap): unknown conversion',
    ],
    [
      'an unknown kind',
      { kind: 'Nope', apiVersion: 'v1' },
      'Nope in version "v1" cannot be handled as a ConfigMap: no kind "Nope" is registered for version "v1" in scheme "k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30"',
    ],
    [
      'an unknown version',
      { kind: 'ConfigMap', apiVersion: 'v9' },
      'ConfigMap in version "v9" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "v9" in scheme "k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30"',
    ],
    [
      'a version with two slashes',
      { apiVersion: 'a/b/c', kind: 'ConfigMap', metadata: { name: 'b' } },
      'the object provided is unrecognized (must be of type ConfigMap): unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c","kind":" ...)',
    ],
    [
      'a list',
      [],
      'the object provided is unrecognized (must be of type ConfigMap): couldn\'t get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" } (5b5d)',
    ],
    [
      'another namespace',
      configMap('b', {}, { namespace: 'other' }),
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
  ])('rejects %s with 400', async (_name, body, message) => {
    const { of } = await startFixture();
    const error = await refusal(of(configMaps).create('default', body, writing()));
    expect([error.code, error.reason, error.message]).toEqual([400, 'BadRequest', message]);
  });

  it.each([
    ['Ignore', 201, []],
    ['Warn', 201, ['unknown field "bogus"', 'duplicate field "data.a"']],
    ['Strict', 400, []],
  ] as const)(
    'handles unknown and duplicate fields as fieldValidation=%s requires',
    async (fieldValidation, code, texts) => {
      const { of } = await startFixture();
      const warnings: string[] = [];
      const context = writing({
        fieldValidation,
        duplicateFields: ['data.a'],
        warn: (text) => warnings.push(text),
      });
      const work = of(configMaps).create('default', { ...configMap('a', { a: '2' }), bogus: 1 }, context);
      if (code === 201) expect((await work).object).not.toHaveProperty('bogus');
      else
        expect((await refusal(work)).message).toBe(
          'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "bogus", duplicate field "data.a"',
        );
      expect(warnings).toEqual(texts);
    },
  );

  it('does not report duplicates within unknown fields', async () => {
    const { of } = await startFixture();
    const warnings: string[] = [];
    const context = writing({
      fieldValidation: 'Warn',
      duplicateFields: ['bogus', 'bogus.a', 'bogus[0].a', 'bogusdata', 'data.\u2028'],
      warn: (text) => warnings.push(text),
    });
    await of(configMaps).create('default', { ...configMap('a', {}), bogus: 1 }, context);
    expect(warnings).toEqual([
      'unknown field "bogus"',
      'duplicate field "bogusdata"',
      String.raw`duplicate field "data.\u2028"`,
    ]);
  });

  it('sets a missing kind and apiVersion, and ignores uid and deletion time from the client', async () => {
    const { of } = await startFixture();
    const metadata: ObjectMeta = {
      name: 'a',
      uid: 'mine',
      deletionTimestamp: '2001-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 5,
      generation: 7,
      selfLink: '/x',
    };
    const { object } = await of(configMaps).create('default', { metadata }, writing());
    expect(object).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { generation: 7 } });
    expect(object.metadata?.uid).not.toBe('mine');
    for (const field of ['deletionTimestamp', 'deletionGracePeriodSeconds', 'selfLink'])
      expect(object.metadata).not.toHaveProperty(field);
  });

  it('rejects a resource version', async () => {
    const { of } = await startFixture();
    const error = await refusal(
      of(configMaps).create('default', configMap('a', {}, { resourceVersion: '5' }), writing()),
    );
    expect([error.code, error.message]).toEqual([
      500,
      'resourceVersion should not be set on objects to be created',
    ]);
  });

  it('generates a name from a truncated base and five characters', async () => {
    const { of } = await startFixture();
    const generate = async (generateName: string): Promise<string> =>
      (await of(configMaps).create('default', { metadata: { generateName } }, writing())).object.metadata
        ?.name ?? '';
    expect(await generate('gen-')).toMatch(/^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(await generate('x'.repeat(80))).toHaveLength(63);
  });

  it('rejects the name of an existing object, including in a dry run', async () => {
    const { of } = await startFixture();
    await of(configMaps).create('default', configMap('a'), writing());
    for (const dryRun of [false, true]) {
      const error = await refusal(of(configMaps).create('default', configMap('a'), writing({ dryRun })));
      expect([error.code, error.reason, error.message]).toEqual([
        409,
        'AlreadyExists',
        'configmaps "a" already exists',
      ]);
    }
  });

  it('reports that the existing object with the name is being deleted', async () => {
    const { of } = await startFixture();
    const held = { metadata: { name: 'a', finalizers: ['a.b/c'] } };
    await of(configMaps).create('default', held, writing());
    await of(configMaps).delete('default', 'a', deleting(), writing());
    const error = await refusal(of(configMaps).create('default', configMap('a'), writing()));
    expect(error.message).toBe('object is being deleted: configmaps "a" already exists');
  });

  it('stores nothing in a dry run, and returns no resource version', async () => {
    const { of, storage } = await startFixture();
    const { object } = await of(configMaps).create('default', configMap('a'), writing({ dryRun: true }));
    expect(object.metadata?.uid).toBeDefined();
    expect(object.metadata).not.toHaveProperty('resourceVersion');
    expect(await storage.revision()).toBe(0);
  });

  it('runs mutating before validating admission, and validates the mutated object', async () => {
    const seen: unknown[] = [];
    const { of } = await startFixture({
      admission: [
        {
          name: 'first',
          operations: ['CREATE'],
          async mutate({ object }) {
            if (object?.metadata) object.metadata.labels = { made: 'here' };
          },
          async validate({ object }) {
            seen.push(object?.metadata?.labels, object?.metadata?.uid !== undefined);
          },
        },
        {
          name: 'second',
          operations: ['CREATE', 'UPDATE'],
          async mutate({ object, name }) {
            if (name === 'bad' && object?.metadata) object.metadata.labels = { 'not a key!': '' };
          },
          async validate({ name }) {
            if (name === 'no') throw forbidden({ group: '', resource: 'configmaps' }, name, 'not this one');
          },
        },
      ],
    });
    expect(
      (await of(configMaps).create('default', configMap('a'), writing())).object.metadata?.labels,
    ).toEqual({ made: 'here' });
    expect(seen).toEqual([{ made: 'here' }, true]);
    expect((await refusal(of(configMaps).create('default', configMap('bad'), writing()))).code).toBe(422);
    expect((await refusal(of(configMaps).create('default', configMap('no'), writing()))).message).toBe(
      'configmaps "no" is forbidden: not this one',
    );
    expect((await of(configMaps).list(listing())).items).toHaveLength(1);
  });

  it('stores a key called __proto__ as data', async () => {
    const { of } = await startFixture();
    const body: unknown = JSON.parse('{"metadata":{"name":"a"},"data":{"__proto__":"x","b":"y"}}');
    const { bytes } = await of(configMaps).create('default', body, writing());
    expect(bytes.toString()).toContain('"data":{"__proto__":"x","b":"y"}');
  });

  it('creates a namespace with its finalizer', async () => {
    const { of } = await startFixture();
    const { object } = await of(namespaces).create('', { metadata: { name: 'n' } }, writing());
    expect(object).toMatchObject({ spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } });
  });

  it('throws for a virtual kind', async () => {
    const { registry } = await startFixture();
    expect(() => registry.of(tokenReviews)).toThrow('TokenReview is not a stored kind of this scheme');
  });
});
