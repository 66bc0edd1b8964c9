import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { configMaps, cronJobs, pods } from '../../../api/groups/index.ts';
import type { AnyKind } from '../../../api/kinds/scheme.ts';
import { ApiError } from '../../../api/status/api-error.ts';
import type { ObjectMeta } from '../../../api/types/meta-v1.ts';
import type { Storage } from '../../storage/storage.ts';
import { type Fixture, configMap, pod, startFixture, writing } from '../registry.fixture.ts';
import type { PatchMediaType } from '../registry.ts';

/** Names with a meaning for the write path, and some with a meaning for JavaScript. */
const KEYS = [
  'kind',
  'apiVersion',
  'metadata',
  'spec',
  'status',
  'data',
  'name',
  'namespace',
  'labels',
  'finalizers',
  'uid',
  'resourceVersion',
  'generateName',
  'generation',
  'deletionTimestamp',
  'containers',
  'template',
  'schedule',
  'ownerReferences',
  '$patch',
  '$retainKeys',
  '$setElementOrder/containers',
  '__proto__',
  'constructor',
  'toString',
];

const { value: json } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthSize: 'small' },
    fc.constantFrom<unknown>(
      null,
      true,
      0,
      -1,
      1.5,
      '',
      'a',
      'v1',
      'ConfigMap',
      'default',
      '2026-01-01T00:00:00Z',
      '\u0000',
    ),
    fc.string(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc
      .array(fc.tuple(fc.oneof(fc.constantFrom(...KEYS), fc.string()), tie('value')), { maxLength: 5 })
      .map(fromEntries),
  ),
}));

/** Returns an object as `JSON.parse` would: `__proto__` is an ordinary key. */
function fromEntries(entries: readonly (readonly [string, unknown])[]): unknown {
  const object = {};
  for (const [key, value] of entries)
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  return object;
}

/** Bodies that pass the first checks more often than arbitrary values. */
const body = fc.oneof(
  json,
  fc
    .tuple(fc.constantFrom(...KEYS), json, fc.constantFrom(...KEYS), json)
    .map(([key, value, inMetadata, metadataValue]) =>
      fromEntries([
        [
          'metadata',
          fromEntries([
            ['name', 'a'],
            [inMetadata, metadataValue],
          ]),
        ],
        [key, value],
      ]),
    ),
);

const operation = fc.record({
  op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test', 'nope'),
  path: fc.oneof(
    fc.constantFrom('', '/metadata', '/metadata/name', '/spec/containers/0', '/data/-', '/__proto__/x'),
    fc.string(),
  ),
  from: fc.constantFrom('/metadata', '/data', '/nope'),
  value: json,
});

/**
 * Runs a write. Throws if the write fails with another error than `ApiError`, or is stored although it was
 * rejected.
 */
async function survives(storage: Storage, work: () => Promise<unknown>): Promise<void> {
  const before = await storage.revision();
  try {
    await work();
  } catch (thrown) {
    if (!(thrown instanceof ApiError)) throw thrown;
    expect(await storage.revision()).toBe(before);
  }
  for (const { key, value, revision } of (await storage.list('/registry/')).items) {
    const { kind, metadata } = JSON.parse(value.toString()) as { kind: string; metadata: ObjectMeta };
    expect(['ConfigMap', 'CronJob', 'Pod']).toContain(kind);
    expect(key.endsWith(`/${metadata.namespace}/${metadata.name}`)).toBe(true);
    expect([metadata.resourceVersion, typeof metadata.uid]).toEqual([String(revision), 'string']);
  }
}

const RUNS = { numRuns: 150 };
const KINDS: readonly AnyKind[] = [configMaps, pods, cronJobs];
const PATCHES: readonly PatchMediaType[] = [
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/json-patch+json',
];

const seed = async (fixture: Fixture): Promise<void> => {
  await fixture.of(configMaps).create('default', configMap('a', { k: 'v' }), writing());
  await fixture.of(pods).create('default', pod('a'), writing());
};

describe('write path', () => {
  it('neither crashes on an arbitrary body nor stores part of it', async () => {
    await fc.assert(
      fc.asyncProperty(body, fc.constantFrom(...KINDS), fc.boolean(), async (given, kind, creates) => {
        const fixture = await startFixture();
        await seed(fixture);
        const registry = fixture.of(kind);
        await survives(fixture.storage, () =>
          creates
            ? registry.create('default', structuredClone(given), writing({ fieldValidation: 'Warn' }))
            : registry.update('default', 'a', '', structuredClone(given), writing()),
        );
      }),
      RUNS,
    );
  });

  it('neither crashes on an arbitrary patch nor stores part of it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(body, fc.array(operation, { maxLength: 4 })),
        fc.constantFrom(...PATCHES),
        fc.constantFrom<AnyKind>(configMaps, pods),
        async (patch, type, kind) => {
          const fixture = await startFixture();
          await seed(fixture);
          await survives(fixture.storage, () =>
            fixture.of(kind).patch('default', 'a', '', type, structuredClone(patch), writing()),
          );
        },
      ),
      RUNS,
    );
  });
});
