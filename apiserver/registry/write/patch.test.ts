import { describe, expect, it } from 'vitest';
import { configMaps, pods } from '../../../api/groups/index.ts';
import { MODIFIED } from '../../../api/status/api-error.ts';
import { configMap, pod, refusal, startFixture, writing } from '../registry.fixture.ts';
import type { PatchMediaType } from '../registry.ts';

const MERGE = 'application/merge-patch+json';
const JSON_PATCH = 'application/json-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';

async function withPod() {
  const fixture = await startFixture();
  const registry = fixture.of(pods);
  await registry.create('default', pod('p1', {}, { labels: { app: 'x' } }), writing());
  const patch = (type: PatchMediaType, body: unknown, changes = {}) =>
    registry.patch('default', 'p1', '', type, body, writing(changes));
  return { ...fixture, registry, patch };
}

describe('patch', () => {
  it.each([
    [MERGE, { metadata: { labels: { b: '1' } } }],
    [JSON_PATCH, [{ op: 'add', path: '/metadata/labels/b', value: '1' }]],
    [STRATEGIC, { metadata: { labels: { b: '1' } } }],
  ] as const)('applies %s', async (type, body) => {
    const { patch } = await withPod();
    const { object, created } = await patch(type, body);
    expect([created, object.metadata?.labels]).toEqual([false, { app: 'x', b: '1' }]);
  });

  it('merges lists by their keys in a strategic merge patch', async () => {
    const { patch } = await withPod();
    const { object } = await patch(STRATEGIC, { spec: { containers: [{ name: 'c', image: 'img2' }] } });
    expect(object).toMatchObject({ spec: { containers: [{ name: 'c', image: 'img2' }] } });
  });

  it('ignores the kind in a strategic merge patch, and rejects a changed kind in a merge patch', async () => {
    const { patch } = await withPod();
    const body = { kind: 'Deployment', apiVersion: 'apps/v1', metadata: { labels: { b: '1' } } };
    const { object } = await patch(STRATEGIC, body);
    expect(object).toMatchObject({ kind: 'Pod', apiVersion: 'v1', metadata: { labels: { b: '1' } } });
    await expect(patch(MERGE, body)).rejects.toMatchObject({ code: 422 });
  });

  it.each([
    [MERGE, { apiVersion: null }],
    [JSON_PATCH, [{ op: 'remove', path: '/apiVersion' }]],
  ] as const)('rejects a patch that removes the apiVersion: %s', async (type, body) => {
    const { patch } = await withPod();
    await expect(patch(type, body)).rejects.toMatchObject({
      code: 400,
      message: 'the name of the object (p1 based on URL) was undeterminable: name must be provided',
    });
    expect((await patch(STRATEGIC, { apiVersion: null })).object.metadata?.name).toBe('p1');
  });

  it('stores nothing if the patch changes nothing', async () => {
    const { patch, storage } = await withPod();
    expect((await patch(MERGE, {})).object.metadata?.resourceVersion).toBe('1');
    expect(await storage.revision()).toBe(1);
  });

  it.each([
    [
      'another name',
      { metadata: { name: 'p2' } },
      400,
      'the name of the object (p2) does not match the name on the URL (p1)',
    ],
    [
      'another namespace',
      { metadata: { namespace: 'other' } },
      400,
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
    [
      'a stale version',
      { metadata: { resourceVersion: '77' } },
      409,
      `Operation cannot be fulfilled on pods "p1": ${MODIFIED}`,
    ],
  ])('rejects %s', async (_name, body, code, message) => {
    const { patch } = await withPod();
    const error = await refusal(patch(MERGE, body));
    expect([error.code, error.message]).toEqual([code, message]);
  });

  it('lists the cause of a changed uid twice as upstream does, and its message once', async () => {
    const { patch } = await withPod();
    const error = await refusal(patch(MERGE, { metadata: { uid: 'x' } }));
    expect(error.status.details?.causes).toHaveLength(2);
    expect(error.message).toBe('Pod "p1" is invalid: metadata.uid: Invalid value: "x": field is immutable');
  });

  it.each([
    ['another kind', MERGE, { kind: 'Service' }],
    ['another version', MERGE, { apiVersion: 'apps/v1' }],
    ['a wrong type', MERGE, { metadata: { labels: { a: 1 } } }],
  ] as const)('rejects %s by %s as an invalid document', async (_name, type, body) => {
    const { patch } = await withPod();
    const error = await refusal(patch(type, body));
    expect([error.code, error.message.startsWith(' "" is invalid: patch: Invalid value: "{')]).toEqual([
      422,
      true,
    ]);
    expect(error.status.details).toEqual({ causes: [expect.objectContaining({ field: 'patch' })] });
  });

  it.each([
    [{ metadata: { labels: 'x' } }, 'map[metadata:map[labels:x]]', 'cannot restore map from string'],
    [{ spec: { hostNetwork: 'yes' } }, 'map[spec:map[hostNetwork:yes]]', 'unrecognized type: bool'],
    [{ spec: { nodeName: 1 } }, 'map[spec:map[nodeName:1]]', 'cannot convert int64 to string'],
    [{ spec: { priority: 1.5 } }, 'map[spec:map[priority:1.5]]', 'cannot convert float64 to int32'],
    [
      { spec: { securityContext: [1] } },
      'map[spec:map[securityContext:[1]]]',
      'cannot restore struct from: slice',
    ],
    [{ status: { podIPs: true } }, 'map[status:map[podIPs:true]]', 'cannot restore slice from bool'],
    [
      { metadata: { deletionTimestamp: 1 } },
      'map[metadata:map[deletionTimestamp:1]]',
      'json: cannot unmarshal number into Go value of type string',
    ],
    [
      { spec: { overhead: { cpu: true } } },
      'map[spec:map[overhead:map[cpu:true]]]',
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
  ])(
    "reports an invalid strategic merge patch in the words of upstream's converter: %j",
    async (body, shown, why) => {
      const { patch } = await withPod();
      const error = await refusal(patch(STRATEGIC, body));
      expect([error.code, error.message]).toEqual([
        422,
        ` "" is invalid: patch: Invalid value: "${shown}": ${why}`,
      ]);
      expect(error.status.details).toEqual({ causes: [expect.objectContaining({ field: 'patch' })] });
    },
  );

  it.each([
    ['a failing test operation', JSON_PATCH, [{ op: 'test', path: '/metadata/name', value: 'x' }], 422],
    ['a missing path', JSON_PATCH, [{ op: 'remove', path: '/nope' }], 422],
    ['a JSON patch that is not a list', JSON_PATCH, {}, 400],
    ['a merge patch that is not an object', MERGE, 'x', 400],
    ['a merge patch that is a list', MERGE, [], 422],
    ['a strategic merge patch that is not an object', STRATEGIC, 'x', 400],
    ['an item without its merge key', STRATEGIC, { spec: { containers: [{ image: 'x' }] } }, 400],
    [
      'more than 10,000 operations',
      JSON_PATCH,
      Array.from({ length: 10_001 }, () => ({ op: 'test', path: '' })),
      413,
    ],
    ['an apply patch without a version', 'application/apply-patch+yaml', {}, 400],
    ['an empty apply patch', 'application/apply-patch+yaml', null, 400],
  ] as const)('rejects %s', async (_name, type, body, code) => {
    const { patch } = await withPod();
    expect((await refusal(patch(type, body))).code).toBe(code);
  });

  it.each([
    ['Warn', 0, ['unknown field "spec.bogus"']],
    ['Strict', 422, []],
    ['Ignore', 0, []],
  ] as const)(
    'handles unknown fields as fieldValidation=%s requires',
    async (fieldValidation, code, texts) => {
      const { patch } = await withPod();
      const warnings: string[] = [];
      const work = patch(
        MERGE,
        { spec: { bogus: 1 } },
        { fieldValidation, warn: (text: string) => warnings.push(text) },
      );
      if (code === 0) await work;
      else
        expect((await refusal(work)).message).toContain(
          'strict decoding error: unknown field \\"spec.bogus\\"'.replaceAll('\\', ''),
        );
      expect(warnings).toEqual(texts);
    },
  );

  it('loses none of many concurrent patches', async () => {
    const { of } = await startFixture({
      admission: [{ name: 'slow', operations: ['UPDATE'], validate: () => new Promise(setImmediate) }],
    });
    const registry = of(configMaps);
    await registry.create('default', configMap('a'), writing());
    const keys = Array.from({ length: 40 }, (_unused, at) => `k${at}`);
    await Promise.all(
      keys.map((key) => registry.patch('default', 'a', '', MERGE, { data: { [key]: '' } }, writing())),
    );
    const { object } = await registry.get('default', 'a', '');
    expect(Object.keys((object as { data?: object }).data ?? {}).sort()).toEqual(keys.sort());
  });

  it('returns 404 for a missing object', async () => {
    const { of } = await startFixture();
    expect((await refusal(of(configMaps).patch('default', 'a', '', MERGE, {}, writing()))).code).toBe(404);
  });
});
