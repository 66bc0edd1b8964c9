import { describe, expect, it } from 'vitest';
import type { ConfigMap } from '../../api/types/core-v1.ts';
import { createOwnWrites } from './own-writes.ts';

const at = (resourceVersion: string, uid = 'u'): ConfigMap => ({
  metadata: { name: 'x', uid, resourceVersion },
});

describe('own writes', () => {
  it('the written state is newest while the cache shows what it was based on', () => {
    const writes = createOwnWrites<ConfigMap>();
    writes.note('x', '1', at('2'));
    expect(writes.newest('x', at('1'))).toEqual(at('2'));
    writes.note('x', '2', at('3'));
    expect(writes.newest('x', at('1'))).toEqual(at('3'));
    expect(writes.newest('x', at('2'))).toEqual(at('3'));
  });

  it('the cache is newest once it has caught up, or shows a state nobody here wrote', () => {
    const writes = createOwnWrites<ConfigMap>();
    writes.note('x', '1', at('2'));
    expect(writes.newest('x', at('9'))).toEqual(at('9'));
    expect(writes.newest('x', at('1'))).toEqual(at('1'));
  });

  it('a live read of what is known already is written over nothing', () => {
    const writes = createOwnWrites<ConfigMap>();
    const cached = at('1');
    writes.note('x', '1', at('1'));
    expect(writes.newest('x', cached)).toBe(cached);
    writes.note('x', '1', at('2'));
    writes.note('x', '2', at('2'));
    expect(writes.newest('x', at('1'))).toEqual(at('2'));
  });

  it('never gives the state of a predecessor of the same name, nor of an object that is gone', () => {
    const writes = createOwnWrites<ConfigMap>();
    writes.note('x', '1', at('2'));
    expect(writes.newest('x', at('1', 'other'))).toEqual(at('1', 'other'));
    writes.note('x', '1', at('2'));
    expect(writes.newest('x', undefined)).toBeUndefined();
  });
});
