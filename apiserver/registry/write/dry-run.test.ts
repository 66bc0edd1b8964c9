import { describe, expect, it } from 'vitest';
import { builtinKinds } from '../../../api/groups/index.ts';
import type { AnyKind } from '../../../api/kinds/scheme.ts';
import { configMaps, pods } from '../../../api/groups/index.ts';
import { exampleOf } from '../examples.fixture.ts';
import { configMap, deleting, pod, refusal, startFixture, writing } from '../registry.fixture.ts';
import type { Encoded } from '../registry.ts';

const MERGE = 'application/merge-patch+json';
const APPLY = 'application/apply-patch+yaml';
const stored = builtinKinds.filter((kind) => !kind.virtual);
const named = stored.map((kind) => [`${kind.group}/${kind.version}`, kind.plural, kind] as const);
const dry = writing({ dryRun: true });

/** Returns a result without the fields that differ between two equal writes. */
function shown({ bytes, object }: Encoded): object {
  const text = bytes.toString().replaceAll(object.metadata?.uid ?? '', 'UID');
  const { metadata, ...rest } = JSON.parse(text) as { metadata: object };
  return { ...rest, metadata: { ...metadata, resourceVersion: '' } };
}

describe.each(named)('a dry run of %s %s', (_version, _plural, kind: AnyKind) => {
  it('returns the same as the write itself for each verb, and stores nothing', async () => {
    const { of, storage } = await startFixture();
    const registry = of(kind);
    const example = exampleOf(kind);
    const namespace = kind.namespaced ? 'default' : '';
    const { name } = example.metadata;
    const both = async (write: (context: typeof dry) => Promise<Encoded>): Promise<Encoded> => {
      const before = await storage.revision();
      const tried = shown(await write(dry));
      expect(await storage.revision()).toBe(before);
      const written = await write(writing());
      expect(tried).toEqual(shown(written));
      return written;
    };

    const created = await both((context) => registry.create(namespace, structuredClone(example), context));
    const { metadata } = created.object;
    const changed = { ...created.object, metadata: { ...metadata, labels: { ...metadata?.labels, a: 'b' } } };
    await both((context) => registry.update(namespace, name, '', structuredClone(changed), context));
    const label = { metadata: { labels: { c: 'd' } } };
    await both((context) => registry.patch(namespace, name, '', MERGE, structuredClone(label), context));
    const apply = {
      kind: kind.kind,
      apiVersion: created.object.apiVersion,
      metadata: { labels: { e: 'f' }, finalizers: ['a.b/c'] },
    };
    await both((context) => registry.patch(namespace, name, '', APPLY, structuredClone(apply), context));
    await both((context) => registry.delete(namespace, name, deleting(), context));
    const released = { metadata: { finalizers: null } };
    await both((context) => registry.patch(namespace, name, '', MERGE, structuredClone(released), context));
  });
});

describe('a dry run', () => {
  it('returns a new object without a resource version', async () => {
    const { of } = await startFixture();
    const { object } = await of(configMaps).create('default', configMap('a'), dry);
    expect(object.metadata).not.toHaveProperty('resourceVersion');
  });

  it('is rejected if the write is rejected', async () => {
    const { of } = await startFixture();
    const registry = of(pods);
    await registry.create('default', pod('a'), writing());
    for (const context of [dry, writing()]) {
      const taken = await refusal(registry.create('default', pod('a'), context));
      const stale = await refusal(
        registry.delete('default', 'a', deleting({ preconditions: { resourceVersion: '7' } }), context),
      );
      expect([taken.status.reason, stale.status.reason]).toEqual(['AlreadyExists', 'Conflict']);
    }
  });

  it('does not affect a later write', async () => {
    const { of } = await startFixture();
    const registry = of(configMaps);
    await registry.create('default', configMap('a', { kept: '1' }), writing());
    const patch = (data: object, context: typeof dry) =>
      registry.patch('default', 'a', '', MERGE, { data }, context);
    await patch({ tried: '2' }, dry);
    const { object } = await patch({ written: '3' }, writing());
    expect(object).toMatchObject({ data: { kept: '1', written: '3' } });
    expect(object).not.toHaveProperty('data.tried');
  });
});
