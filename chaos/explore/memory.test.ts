import { describe, expect, it } from 'vitest';
import { withMemory } from './memory.ts';

describe('memory of a controller', () => {
  it('consists of its Maps and Sets and can be saved and restored', async () => {
    const { made, memory } = await withMemory(() => ({
      known: new Map<string, unknown>(),
      seen: new Set<string>(),
    }));
    const before = memory.save();
    made.known.set('a', { over: new Set(['1', '2']) });
    made.seen.add('x');
    const after = JSON.parse(JSON.stringify(memory.save())) as unknown;
    memory.restore(before);
    expect(made.known.size + made.seen.size).toBe(0);
    memory.restore(after);
    expect(made.known.get('a')).toEqual({ over: new Set(['1', '2']) });
    expect([...made.seen]).toEqual(['x']);
  });

  it('does not depend on insertion order', async () => {
    const { made, memory } = await withMemory(() => new Map<string, number>());
    made.set('a', 1).set('b', 2);
    const one = memory.save();
    made.clear();
    made.set('b', 2).set('a', 1);
    expect(memory.save()).toEqual(one);
  });

  it('omits containers that hold functions from the start, and rejects functions that are added later', async () => {
    const { made, memory } = await withMemory(
      () => [new Map([['f', () => 1]]), new Map<string, unknown>()] as const,
    );
    expect(memory.save()).toEqual([[]]);
    made[1].set('g', () => 2);
    expect(() => memory.save()).toThrow('not plain JSON');
  });

  it('omits pending promises, because a replayed reconcile creates them again', async () => {
    const { made, memory } = await withMemory(() => new Map<string, unknown>());
    made.set('asked', Promise.resolve()).set('known', 1);
    expect(memory.save()).toEqual([[['known', 1]]]);
  });

  it('reports each access, by key or for a whole container', async () => {
    const touched: (string | undefined)[] = [];
    const { made, memory } = await withMemory(
      () => new Map([['a', 1]]),
      (_, key) => void touched.push(key),
    );
    memory.restore(memory.save());
    made.get('b');
    expect([made.size, touched]).toEqual([1, ['"b"', undefined]]);
  });

  it('restores the global Map even after a failure', async () => {
    const plain = Map;
    await expect(withMemory(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(Map).toBe(plain);
  });
});
