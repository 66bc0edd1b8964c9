import { describe, expect, it } from 'vitest';
import { nodes } from '../../api/groups/core-v1.ts';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { useWorld } from '../../test/world/use-world.ts';

const ANNOTATION = orchVocabulary.key('node.alpha', 'ttl');
const MINUTE = 60_000;

async function start() {
  const { client, clock } = await useWorld({ controllers: ['ttl'] });
  const own = client.cluster(nodes);
  const add = async (from: number, to: number): Promise<void> => {
    for (let at = from; at < to; at++) await own.create({ metadata: { name: `n${at}` } });
    await clock.advance(MINUTE);
  };
  const remove = async (from: number, to: number): Promise<void> => {
    for (let at = from; at < to; at++) await own.delete(`n${at}`);
    await clock.advance(MINUTE);
  };
  /** Returns the number of nodes by the value of their annotation. */
  const counts = async (): Promise<Readonly<Record<string, number>>> => {
    const found: Record<string, number> = {};
    for (const { metadata } of (await own.list()).items) {
      const value = metadata?.annotations?.[ANNOTATION] ?? 'none';
      found[value] = (found[value] ?? 0) + 1;
    }
    return found;
  };
  return { own, clock, add, remove, counts };
}

describe('cache time of nodes', () => {
  it('is 0 in a small cluster', async () => {
    const { add, counts } = await start();
    await add(0, 3);
    expect(await counts()).toEqual({ 0: 3 });
  });

  it('changes on every node once the cluster is larger than 100 nodes', async () => {
    const { add, counts } = await start();
    await add(0, 100);
    expect(await counts()).toEqual({ 0: 100 });
    await add(100, 101);
    expect(await counts()).toEqual({ 15: 101 });
  });

  it('changes back once the cluster is smaller than 90 nodes, and not earlier', async () => {
    const { add, remove, counts } = await start();
    await add(0, 101);
    await remove(90, 101);
    expect(await counts()).toEqual({ 15: 90 });
    await remove(89, 90);
    expect(await counts()).toEqual({ 0: 89 });
  });

  it.each(['7', '-1', '15', 'soon', ''])('is corrected if a user sets it to %j', async (value) => {
    const { own, clock, add, counts } = await start();
    await add(0, 2);
    await own.patch('n0', 'merge', { metadata: { annotations: { [ANNOTATION]: value } } });
    await clock.advance(MINUTE);
    expect(await counts()).toEqual({ 0: 2 });
  });

  it('is restored if a user removes it', async () => {
    const { own, clock, add, counts } = await start();
    await add(0, 2);
    await own.patch('n1', 'merge', { metadata: { annotations: { [ANNOTATION]: null } } });
    await clock.advance(MINUTE);
    expect(await counts()).toEqual({ 0: 2 });
  });

  it('is not written while other fields of the node change', async () => {
    const { own, clock, add } = await start();
    await add(0, 1);
    const before = await own.get('n0');
    await own.patch('n0', 'merge', { metadata: { labels: { zone: 'a' } } });
    await clock.advance(MINUTE);
    const after = await own.get('n0');
    expect(after.metadata?.annotations).toEqual(before.metadata?.annotations);
    expect(Number(after.metadata?.resourceVersion)).toBe(Number(before.metadata?.resourceVersion) + 1);
  });
});
