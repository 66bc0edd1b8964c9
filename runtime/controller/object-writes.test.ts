import { describe, expect, it } from 'vitest';
import { configMaps, namespaces } from '../../api/groups/index.ts';
import type { ConfigMap } from '../../api/types/core-v1.ts';
import { useWorld } from '../../test/world/use-world.ts';
import { createObjectWrites, targetOf } from './object-writes.ts';
import { createOwnWrites } from './own-writes.ts';

const signal = new AbortController().signal;

async function setUp() {
  const { client } = await useWorld({ controllers: [] });
  const objects = client.namespaced(configMaps, 'team');
  const made = await objects.create({
    metadata: { name: 'a', annotations: { kept: 'yes' } },
    data: { x: '1' },
  });
  return { client, objects, made, writes: createObjectWrites(client, configMaps) };
}

describe('ObjectWrites', () => {
  it('changes only the fields of the patch', async () => {
    const { made, writes } = await setUp();
    const next = await writes.patch(targetOf(made), { metadata: { labels: { a: 'b' } } }, signal);
    expect(next).toMatchObject({
      metadata: { labels: { a: 'b' }, annotations: { kept: 'yes' } },
      data: { x: '1' },
    });
  });

  it('fails with a conflict if the object has changed or was replaced since the decision', async () => {
    const { objects, made, writes } = await setUp();
    await objects.patch('a', 'merge', { data: { x: '2' } });
    await expect(writes.patch(targetOf(made), { data: { x: '3' } }, signal)).rejects.toMatchObject({
      status: { reason: 'Conflict' },
    });
    await expect(writes.delete(targetOf(made), { signal })).rejects.toMatchObject({
      status: { reason: 'Conflict' },
    });
    await objects.delete('a');
    await objects.create({ metadata: { name: 'a' } });
    await expect(writes.delete(targetOf(made), { signal })).rejects.toMatchObject({
      status: { reason: 'Conflict' },
    });
  });

  it('succeeds if the object no longer exists', async () => {
    const { objects, made, writes } = await setUp();
    await objects.delete('a');
    expect(await writes.setFinalizers(targetOf(made), ['x/y'], signal)).toBeUndefined();
    await writes.delete(targetOf(made), { signal });
  });

  it('writes the status of namespaced and cluster-scoped kinds through the subresource', async () => {
    const { client } = await setUp();
    const team = await client.cluster(namespaces).get('team');
    const conditions = [{ type: 'Seen', status: 'True' }];
    const writes = createObjectWrites(client, namespaces);
    const next = await writes.patchStatus(targetOf(team), { conditions }, signal);
    expect(next?.status).toMatchObject({ phase: 'Active', conditions });
  });

  it('makes a write readable before the cache contains it', async () => {
    const { client, made } = await setUp();
    const own = createOwnWrites<ConfigMap>();
    const writes = createObjectWrites(client, configMaps, own);
    const first = await writes.patch(targetOf(made), { data: { x: '2' } }, signal);
    expect(own.newest('team/a', made)).toBe(first);
    const second = await writes.setFinalizers(targetOf(first ?? made), ['example.com/x'], signal);
    expect(own.newest('team/a', made)).toBe(second);
    expect(own.newest('team/a', second)).toBe(second);
  });

  it('rejects an object that was never stored', () =>
    expect(() => targetOf({ metadata: { name: 'a' } })).toThrow('never stored'));
});
