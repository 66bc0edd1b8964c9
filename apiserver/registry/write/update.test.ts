import { describe, expect, it } from 'vitest';
import {
  configMaps,
  cronJobs,
  events,
  leases,
  limitRanges,
  persistentVolumeClaims,
  podDisruptionBudgets,
  podTemplates,
  pods,
  roles,
  runtimeClasses,
} from '../../../api/groups/index.ts';
import type { ApiObject, DeepReadonly } from '../../../api/kinds/kind.ts';
import type { AnyKind } from '../../../api/kinds/scheme.ts';
import { MODIFIED } from '../../../api/status/api-error.ts';
import { configMap, deleting, pod, refusal, startFixture, writing } from '../registry.fixture.ts';

const versionOf = (object: DeepReadonly<ApiObject>): string => object.metadata?.resourceVersion ?? '';

async function withConfigMap(metadata: object = {}) {
  const fixture = await startFixture();
  const registry = fixture.of(configMaps);
  const { object } = await registry.create('default', configMap('a', { k: '1' }, metadata), writing());
  const put = (body: unknown, dryRun = false) =>
    registry.update('default', 'a', '', body, writing({ dryRun }));
  return { ...fixture, registry, object, put };
}

describe('update', () => {
  it('overwrites the object without a resource version or with the newest one', async () => {
    const { put, object } = await withConfigMap();
    const second = await put(configMap('a', { k: '2' }));
    expect([second.created, versionOf(second.object)]).toEqual([false, '2']);
    expect(second.object.metadata?.uid).toBe(object.metadata?.uid);
    const third = await put(configMap('a', { k: '3' }, { resourceVersion: '2' }));
    expect(versionOf(third.object)).toBe('3');
  });

  it('lists twice the errors that upstream finds twice, for the object and for the change', async () => {
    const { of } = await startFixture();
    const rule = (verbs: readonly string[]): object => ({ apiGroups: [''], resources: ['pods'], verbs });
    const role = (verbs: readonly string[]): object => ({ metadata: { name: 'r' }, rules: [rule(verbs)] });
    await of(roles).create('default', role(['get']), writing());
    const refused = await refusal(of(roles).update('default', 'r', '', role([]), writing()));
    const complaint = 'Required value: verbs must contain at least one value';
    expect(refused.status.details?.causes).toEqual(
      Array.from({ length: 2 }, () => ({
        reason: 'FieldValueRequired',
        message: complaint,
        field: 'rules[0].verbs',
      })),
    );
    expect(refused.message).toContain(`is invalid: rules[0].verbs: ${complaint}`);
  });

  it('rejects a stale resource version', async () => {
    const { put } = await withConfigMap();
    await put(configMap('a', { k: '2' }));
    const error = await refusal(put(configMap('a', { k: '3' }, { resourceVersion: '1' })));
    expect([error.code, error.message]).toEqual([
      409,
      `Operation cannot be fulfilled on configmaps "a": ${MODIFIED}`,
    ]);
  });

  it('writes nothing if only the order of fields changes', async () => {
    const { put, storage } = await withConfigMap({ labels: { a: '1', b: '2' } });
    const same = await put({ data: { k: '1' }, metadata: { labels: { b: '2', a: '1' }, name: 'a' } });
    expect(versionOf(same.object)).toBe('1');
    expect(await storage.revision()).toBe(1);
  });

  it('stores nothing in a dry run, and returns the resource version it would have replaced', async () => {
    const { put, storage } = await withConfigMap();
    const { object } = await put(configMap('a', { k: '2' }), true);
    expect([versionOf(object), (object as { data?: unknown }).data]).toEqual(['1', { k: '2' }]);
    expect(await storage.revision()).toBe(1);
  });

  it.each([
    ['another name', configMap('b'), 'the name of the object (b) does not match the name on the URL (a)'],
    [
      'no name',
      { metadata: {} },
      'the name of the object (a based on URL) was undeterminable: name must be provided',
    ],
    [
      'another namespace',
      configMap('a', {}, { namespace: 'x' }),
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
    [
      'a malformed version',
      configMap('a', {}, { resourceVersion: 'x' }),
      'strconv.ParseUint: parsing "x": invalid syntax',
    ],
  ])('rejects %s with 400', async (_name, body, message) => {
    const { put } = await withConfigMap();
    const error = await refusal(put(body));
    expect([error.code, error.message]).toEqual([400, message]);
  });

  it('rejects another uid, for an existing and for a missing object', async () => {
    const { put, registry, object } = await withConfigMap();
    const text = (found: string) =>
      'Operation cannot be fulfilled on configmaps "a": StorageError: invalid object, Code: 4, Key: /registry/configmaps/default/a, ' +
      `ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: other, UID in object meta: ${found}`;
    const body = configMap('a', {}, { uid: 'other' });
    expect((await refusal(put(structuredClone(body)))).message).toBe(text(object.metadata?.uid ?? ''));
    await registry.delete('default', 'a', deleting(), writing());
    expect((await refusal(put(body))).message).toBe(text(''));
  });

  it('creates a missing LimitRange, and returns 404 for other kinds', async () => {
    const { of } = await startFixture();
    const made = await of(limitRanges).update(
      'default',
      'l',
      '',
      { metadata: { name: 'l' }, spec: { limits: [] } },
      writing(),
    );
    expect([made.created, versionOf(made.object)]).toEqual([true, '1']);
    const error = await refusal(of(configMaps).update('default', 'a', '', configMap('a'), writing()));
    expect([error.code, error.message]).toEqual([404, 'configmaps "a" not found']);
  });

  it('updates an object that another writer has just created, and ignores the resource version of a missing object', async () => {
    let interfere: (() => Promise<unknown>) | undefined;
    const { of } = await startFixture({
      admission: [
        {
          name: 'interloper',
          operations: ['CREATE'],
          async validate() {
            const run = interfere;
            interfere = undefined;
            await run?.();
          },
        },
      ],
    });
    const registry = of(leases);
    const lease = (holderIdentity: string, resourceVersion: string) => ({
      metadata: { name: 'l', resourceVersion },
      spec: { holderIdentity },
    });
    interfere = () => registry.create('default', { metadata: { name: 'l' } }, writing());
    const { object, created } = await registry.update('default', 'l', '', lease('us', '1'), writing());
    expect([created, versionOf(object), object]).toMatchObject([
      false,
      '2',
      { spec: { holderIdentity: 'us' } },
    ]);
    await registry.delete('default', 'l', deleting(), writing());
    expect((await registry.update('default', 'l', '', lease('us', '2'), writing())).created).toBe(true);
  });

  it('requires a resource version for a Lease', async () => {
    const { of } = await startFixture();
    await of(leases).create('default', { metadata: { name: 'l' } }, writing());
    const error = await refusal(
      of(leases).update(
        'default',
        'l',
        '',
        { metadata: { name: 'l' }, spec: { holderIdentity: 'x' } },
        writing(),
      ),
    );
    expect([error.code, error.message]).toEqual([
      422,
      'leases.coordination.k8s.io "l" is invalid: metadata.resourceVersion: Invalid value: 0x0: must be specified for an update',
    ]);
  });

  it('neither starts nor reverts a deletion', async () => {
    const { put, registry } = await withConfigMap({ finalizers: ['a.b/c'] });
    const started = await refusal(
      put(configMap('a', {}, { finalizers: ['a.b/c'], deletionTimestamp: '2026-01-01T00:00:00Z' })),
    );
    expect([started.code, started.status.details?.causes?.[0]?.field]).toEqual([
      422,
      'metadata.deletionTimestamp',
    ]);
    await registry.delete('default', 'a', deleting(), writing());
    const { object } = await put(configMap('a', { k: '2' }, { finalizers: ['a.b/c'] }));
    expect(object.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 0,
    });
  });

  it('removes a terminating object with its last finalizer, and returns the object', async () => {
    const { put, registry } = await withConfigMap({ finalizers: ['a.b/c', 'd.e/f'] });
    await registry.delete('default', 'a', deleting(), writing());
    await put(configMap('a', { k: '1' }, { finalizers: ['d.e/f'] }));
    expect((await registry.get('default', 'a', '')).object.metadata?.finalizers).toEqual(['d.e/f']);
    const { object } = await put(configMap('a', { k: '1' }));
    expect(object.metadata).not.toHaveProperty('finalizers');
    expect((await refusal(registry.get('default', 'a', ''))).code).toBe(404);
  });

  it('retries an unconditional update after another write', async () => {
    let interfere: (() => Promise<unknown>) | undefined;
    const { of } = await startFixture({
      admission: [
        {
          name: 'interloper',
          operations: ['UPDATE'],
          async validate() {
            const run = interfere;
            interfere = undefined;
            await run?.();
          },
        },
      ],
    });
    const registry = of(configMaps);
    await registry.create('default', configMap('a'), writing());
    interfere = () => registry.update('default', 'a', '', configMap('a', { k: 'theirs' }), writing());
    const { object } = await registry.update('default', 'a', '', configMap('a', { k: 'ours' }), writing());
    expect([versionOf(object), (object as { data?: unknown }).data]).toEqual(['3', { k: 'ours' }]);
    interfere = () => registry.update('default', 'a', '', configMap('a', { k: 'theirs' }), writing());
    const stale = configMap('a', { k: 'again' }, { resourceVersion: '3' });
    expect((await refusal(registry.update('default', 'a', '', stale, writing()))).code).toBe(409);
  });

  it('writes the status only through its subresource', async () => {
    const { of } = await startFixture();
    await of(pods).create('default', pod('p'), writing());
    const body = (phase: string) => ({ ...pod('p', { nodeName: 'elsewhere' }), status: { phase } });
    const { object } = await of(pods).update('default', 'p', 'status', body('Running'), writing());
    expect((object as { status?: unknown }).status).toMatchObject({ phase: 'Running' });
    expect((object as { spec?: unknown }).spec).not.toHaveProperty('nodeName');
  });

  const request = { resources: { requests: { storage: '1Gi' } }, accessModes: ['ReadWriteOnce'] };
  const involved = { involvedObject: { namespace: 'default', name: 'x', kind: 'Pod' } };

  it.each<[string, AnyKind, object, number]>([
    ['ConfigMaps', configMaps, {}, 4],
    ['PersistentVolumeClaims', persistentVolumeClaims, { spec: request }, 5],
    ['Roles', roles, {}, 5],
    ['Leases', leases, {}, 3],
    ['Events', events, involved, 2],
  ])('repeats metadata errors as often as upstream for %s', async (_what, kind, more, times) => {
    const { of } = await startFixture();
    const { object } = await of(kind).create('default', { metadata: { name: 'a' }, ...more }, writing());
    const metadata = { ...object.metadata, labels: { 'not ok': '' } };
    const refused = await refusal(of(kind).update('default', 'a', '', { ...object, metadata }, writing()));
    expect(refused.status.details?.causes?.map(({ field }) => field)).toEqual(
      Array.from({ length: times }, () => 'metadata.labels'),
    );
  });

  it('repeats metadata errors once more when the status is written', async () => {
    const { of } = await startFixture();
    const { object } = await of(pods).create('default', pod('p'), writing());
    const metadata = { ...object.metadata, labels: { 'not ok': '' } };
    const refused = await refusal(
      of(pods).update('default', 'p', 'status', { ...object, metadata }, writing()),
    );
    expect(refused.status.details?.causes).toHaveLength(3);
  });

  it('does not repeat metadata errors for kinds whose status upstream validates alone', async () => {
    const { of } = await startFixture();
    const body = { metadata: { name: 'b' }, spec: { minAvailable: 1 } };
    const { object } = await of(podDisruptionBudgets).create('default', body, writing());
    const metadata = { ...object.metadata, labels: { 'not ok': '' } };
    const refused = await refusal(
      of(podDisruptionBudgets).update('default', 'b', 'status', { ...object, metadata }, writing()),
    );
    expect(refused.status.details?.causes).toHaveLength(2);
  });

  it('creates a missing RuntimeClass, but no PodTemplate', async () => {
    const { of } = await startFixture();
    const made = { metadata: { name: 'r' }, handler: 'h' };
    expect((await of(runtimeClasses).update('', 'r', '', made, writing())).created).toBe(true);
    const template = { metadata: { name: 't' }, template: pod('p') };
    const refused = await refusal(of(podTemplates).update('default', 't', '', template, writing()));
    expect(refused.code).toBe(404);
  });

  it('returns 405 for a subresource that cannot be written', async () => {
    const { of } = await startFixture();
    for (const subresource of ['nope', 'constructor', '__proto__'])
      expect((await refusal(of(pods).update('default', 'p', subresource, pod('p'), writing()))).code).toBe(
        405,
      );
  });

  it('increments the generation only for changes of spec', async () => {
    const { of } = await startFixture();
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
    const body = (suspend: boolean, labels = {}) => ({
      metadata: { name: 'c', labels },
      spec: { schedule: '* * * * *', suspend, jobTemplate: { spec: { template } } },
    });
    const registry = of(cronJobs);
    const generation = async (work: Promise<{ object: DeepReadonly<ApiObject> }>) =>
      (await work).object.metadata?.generation;
    expect(await generation(registry.create('default', body(false), writing()))).toBe(1);
    expect(await generation(registry.update('default', 'c', '', body(false, { a: 'b' }), writing()))).toBe(1);
    expect(await generation(registry.update('default', 'c', '', body(true), writing()))).toBe(2);
  });
});
