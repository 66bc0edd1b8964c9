import { describe, expect, it } from 'vitest';
import { configMaps, cronJobs, nodes, pods, roles } from '../../../api/groups/index.ts';
import type { AnyKind } from '../../../api/kinds/scheme.ts';
import { forbidden } from '../../../api/status/api-error.ts';
import { configMap, pod, refusal, startFixture, writing } from '../registry.fixture.ts';
import type { WriteContext } from '../registry.ts';

type Changes = Partial<WriteContext>;

async function withKind(kind: AnyKind) {
  const fixture = await startFixture();
  const registry = fixture.of(kind);
  const apply = (name: string, config: unknown, changes: Changes = {}, subresource = '') =>
    registry.patch('default', name, subresource, 'application/apply-patch+yaml', config, {
      ...writing(changes),
      force: changes.force ?? false,
    });
  return { ...fixture, registry, apply };
}

const by = (fieldManager: string, changes: Changes = {}): Changes => ({ fieldManager, ...changes });

interface Owned {
  readonly metadata?: {
    readonly managedFields?: readonly {
      readonly manager?: string;
      readonly operation?: string;
      readonly subresource?: string;
      readonly time?: string;
      readonly fieldsV1?: unknown;
    }[];
  };
}

const owners = ({ metadata }: Owned): unknown =>
  (metadata?.managedFields ?? []).map(({ manager, operation, subresource, fieldsV1 }) => [
    manager,
    operation,
    ...(subresource === undefined ? [] : [subresource]),
    fieldsV1,
  ]);

const cronJob = (spec: object = {}): object => ({
  kind: 'CronJob',
  apiVersion: 'batch/v1',
  metadata: { name: 'c' },
  spec: {
    schedule: '* * * * *',
    jobTemplate: {
      spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
    },
    ...spec,
  },
});

describe('apply', () => {
  it('creates no object for a configuration with a uid', async () => {
    const { apply } = await withKind(configMaps);
    const config = { ...configMap('a'), metadata: { name: 'a', uid: 'u' } };
    expect(await refusal(apply('a', config, by('me')))).toMatchObject({
      code: 409,
      message:
        'Operation cannot be fulfilled on configmaps "a": uid mismatch: the provided object specified uid u, and no existing object was found',
    });
  });

  it('creates a missing object that the applier owns', async () => {
    const { apply } = await withKind(configMaps);
    const { created, object } = await apply('a', configMap('a', { k: '1' }), by('me'));
    expect(created).toBe(true);
    expect(object).toMatchObject({
      data: { k: '1' },
      metadata: { namespace: 'default', resourceVersion: '1' },
    });
    expect(owners(object)).toEqual([['me', 'Apply', { 'f:data': { 'f:k': {} } }]]);
  });

  it('preserves resource version and times if nothing changes', async () => {
    const { apply, clock, storage } = await withKind(configMaps);
    const first = await apply('a', { ...configMap('a'), data: { k: '1' }, binaryData: {} }, by('me'));
    await clock.advance(5000);
    const second = await apply('a', { ...configMap('a'), data: { k: '1' }, binaryData: {} }, by('me'));
    expect(second.bytes).toEqual(first.bytes);
    expect(await storage.revision()).toBe(1);
  });

  it('sets the default of a field that the applier no longer sets', async () => {
    const { apply } = await withKind(cronJobs);
    await apply('c', cronJob({ successfulJobsHistoryLimit: 5 }), by('me'));
    const { object } = await apply('c', cronJob(), by('me'));
    expect(object).toMatchObject({ spec: { successfulJobsHistoryLimit: 3 } });
  });

  it('returns conflicts with one cause per field', async () => {
    const { apply, registry } = await withKind(configMaps);
    await registry.create('default', configMap('a', { k: '1', l: '1' }), writing({ fieldManager: 'edit' }));
    const error = await refusal(apply('a', configMap('a', { k: '2', l: '1' }), by('me')));
    expect([error.code, error.reason, error.message]).toEqual([
      409,
      'Conflict',
      'Apply failed with 1 conflict: conflict with "edit" using v1: .data.k',
    ]);
    expect(error.status.details).toEqual({
      causes: [
        { reason: 'FieldManagerConflict', message: 'conflict with "edit" using v1', field: '.data.k' },
      ],
    });
  });

  it('takes over fields of other managers if forced', async () => {
    const { apply, registry } = await withKind(configMaps);
    await registry.create('default', configMap('a', { k: '1' }), writing({ fieldManager: 'edit' }));
    const { object } = await apply('a', configMap('a', { k: '2' }), by('me', { force: true }));
    expect(owners(object)).toEqual([
      ['me', 'Apply', { 'f:data': { 'f:k': {} } }],
      ['edit', 'Update', { 'f:data': {} }],
    ]);
  });

  it('writes nothing in a dry run', async () => {
    const { apply, storage } = await withKind(configMaps);
    const { created } = await apply('a', configMap('a'), by('me', { dryRun: true }));
    expect([created, await storage.revision()]).toEqual([true, 0]);
  });

  it('creates no object for a user who may only change existing objects', async () => {
    const { apply, storage, registry } = await withKind(configMaps);
    const mayCreate = (): Promise<void> =>
      Promise.reject(forbidden({ group: '', resource: 'configmaps' }, 'a', 'no'));
    expect((await refusal(apply('a', configMap('a'), by('me', { mayCreate })))).code).toBe(403);
    expect(await storage.revision()).toBe(0);
    await registry.create('default', configMap('a'), writing());
    const { created } = await apply('a', configMap('a', { k: '1' }), by('me', { mayCreate }));
    expect(created).toBe(false);
  });

  it('creates no object through a subresource', async () => {
    const { apply } = await withKind(pods);
    const error = await refusal(apply('p', pod('p'), by('me'), 'status'));
    expect(error.code).toBe(404);
  });

  it('changes only the status through the status subresource', async () => {
    const { apply, registry } = await withKind(pods);
    await registry.create('default', pod('p'), writing({ fieldManager: 'edit' }));
    const status = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'p' }, status: { phase: 'Running' } };
    const { object } = await apply('p', status, by('agent'), 'status');
    expect(object).toMatchObject({ spec: { containers: [{ name: 'c' }] }, status: { phase: 'Running' } });
    expect(owners(object)).toContainEqual(['agent', 'Apply', 'status', { 'f:status': { 'f:phase': {} } }]);
    const again = await apply('p', { ...status, status: { phase: 'Failed' } }, by('me'));
    expect(again.object).toMatchObject({ status: { phase: 'Running' } });
    expect(owners(again.object)).not.toContainEqual(expect.arrayContaining(['me']));
  });

  it("takes over fields from the same client's client-side apply", async () => {
    const { apply, registry } = await withKind(configMaps);
    const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
    const applied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: '1' } };
    const annotations = { [annotation]: JSON.stringify(applied) };
    const fieldManager = 'kubectl-client-side-apply';
    await registry.create('default', configMap('a', { k: '1' }, { annotations }), writing({ fieldManager }));
    const changed = configMap('a', { k: '2' });
    expect((await refusal(apply('a', changed, by('other')))).code).toBe(409);
    const { object } = await apply('a', changed, by('kubectl'));
    expect(object).toMatchObject({ data: { k: '2' } });
    expect(JSON.parse(object.metadata?.annotations?.[annotation] ?? '')).toEqual(changed);
  });

  const applied = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' } };

  it.each([
    ['an array', [], 400, /^error decoding YAML: .*cannot unmarshal array/],
    [
      'another version',
      { ...applied, apiVersion: 'v2' },
      400,
      'Incorrect version specified in apply patch. Specified patch version: v2, expected: v1',
    ],
    [
      'managedFields',
      { ...applied, metadata: { name: 'a', managedFields: [] } },
      400,
      'metadata.managedFields must be nil',
    ],
    [
      'another name',
      { ...applied, metadata: { name: 'b' } },
      400,
      'the name of the object (b) does not match the name on the URL (a)',
    ],
    [
      'no kind',
      { apiVersion: 'v1', metadata: { name: 'a' } },
      500,
      'failed to create typed patch object: no corresponding type for /v1, Kind=',
    ],
    [
      'another kind',
      { ...applied, kind: 'Secret' },
      500,
      /^failed to merge config: expected objects of the same type/,
    ],
    [
      'an undecodable value',
      { ...applied, binaryData: { b: '!' } },
      500,
      'failed to convert new object to proper version: unable to convert unstructured object to /v1, Kind=ConfigMap: error decoding from json: illegal base64 data at input byte 0',
    ],
    [
      'an unknown field',
      { ...applied, bogus: 1 },
      500,
      'failed to create typed patch object: .bogus: field not declared in schema',
    ],
  ])('rejects a configuration with %s', async (_name, config, code, message) => {
    const { apply } = await withKind(configMaps);
    const error = await refusal(apply('a', config, by('me')));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });
});

describe('managed fields', () => {
  it('are recorded before admission, so fields that admission sets have no owner', async () => {
    const { of } = await startFixture({
      admission: [
        {
          name: 'adds',
          operations: ['CREATE'],
          async mutate({ object }) {
            (object as { data?: Record<string, string> }).data = { admitted: 'x', k: '1' };
          },
        },
      ],
    });
    const { object } = await of(configMaps).create('default', configMap('a', { k: '1' }), writing());
    expect(owners(object)).toEqual([['test', 'Update', { 'f:data': { '.': {}, 'f:k': {} } }]]);
  });

  it('assign defaults to the writer of the object', async () => {
    const { of } = await startFixture();
    const { object } = await of(cronJobs).create('default', cronJob(), writing());
    expect(object.metadata?.managedFields?.[0]?.fieldsV1).toMatchObject({
      'f:spec': { 'f:concurrencyPolicy': {}, 'f:schedule': {}, 'f:suspend': {} },
    });
  });

  it('name the subresource of a write', async () => {
    const { of } = await startFixture();
    const registry = of(nodes);
    const node = { kind: 'Node', apiVersion: 'v1', metadata: { name: 'n', labels: { a: 'b' } } };
    await registry.create('', node, writing());
    const status = { ...node, status: { phase: 'Running' } };
    const { object } = await registry.update('', 'n', 'status', status, writing({ fieldManager: 'agent' }));
    expect(owners(object)).toContainEqual(['agent', 'Update', 'status', { 'f:status': { 'f:phase': {} } }]);
  });

  it.each([[[{}]], [[]]])('are cleared by %j and not recorded again', async (managedFields) => {
    const { of } = await startFixture();
    const registry = of(configMaps);
    await registry.create('default', configMap('a', { k: '1' }), writing());
    const merge = 'application/merge-patch+json';
    const cleared = { metadata: { managedFields }, data: { k: '2' } };
    const { object } = await registry.patch('default', 'a', '', merge, cleared, writing());
    expect([owners(object), object]).toMatchObject([[], { data: { k: '2' } }]);
    const later = await registry.patch('default', 'a', '', merge, { data: { k: '3' } }, writing());
    expect(owners(later.object)).toEqual([]);
  });

  it('record the owner of an empty list that is stored as null', async () => {
    const { of } = await startFixture();
    const registry = of(roles);
    const role = (rules: unknown) => ({ metadata: { name: 'r' }, rules });
    const said = (): Partial<WriteContext> => ({ emptied: new Set<string>() });
    const made = await registry.create('default', role([]), writing(by('a', said())));
    expect(made.object).toMatchObject({ rules: null });
    expect(owners(made.object)).toEqual([['a', 'Update', { 'f:rules': {} }]]);
    const taken = await registry.update('default', 'r', '', role([]), writing(by('b', said())));
    expect(owners(taken.object)).toEqual([['b', 'Update', { 'f:rules': {} }]]);
    const left = await registry.update('default', 'r', '', role(null), writing(by('c', said())));
    expect(owners(left.object)).toEqual([['b', 'Update', { 'f:rules': {} }]]);
  });

  it('are preserved if a client omits them in an update', async () => {
    const { of } = await startFixture();
    const registry = of(configMaps);
    const made = await registry.create('default', configMap('a', { k: '1' }), writing());
    const same = await registry.update('default', 'a', '', configMap('a', { k: '1' }), writing(by('x')));
    expect(same.bytes).toEqual(made.bytes);
  });

  it('get a new time only if their fields change', async () => {
    const { of, clock } = await startFixture();
    const registry = of(configMaps);
    await registry.create('default', configMap('a', { k: '1' }), writing());
    await clock.advance(5000);
    const timeAfter = async (data: Record<string, string>): Promise<unknown> => {
      const { object } = await registry.update('default', 'a', '', configMap('a', data), writing());
      return object.metadata?.managedFields?.map(({ time }) => time);
    };
    expect(await timeAfter({ k: '2' })).toEqual(['2026-01-01T00:00:00Z']);
    expect(await timeAfter({ k: '2', l: '1' })).toEqual(['2026-01-01T00:00:05Z']);
  });
});
