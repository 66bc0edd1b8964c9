import { describe, expect, it } from 'vitest';
import type { ConfigMap } from '../../api/types/core-v1.ts';
import { createOwnWrites } from './own-writes.ts';

const at = (resourceVersion: string, uid = 'u'): ConfigMap => ({
  metadata: { name: 'x', uid, resourceVersion },
});

describe('OwnWrites', () => {
  it('returns the written state while the cache contains an overwritten state', () => {
    const writes = createOwnWrites<ConfigMap>();
    writes.note('x', '1', at('2'));
    expect(writes.newest('x', at('1'))).toEqual(at('2'));
    writes.note('x', '2', at('3'));
    expect(writes.newest('x', at('1'))).toEqual(at('3'));
    expect(writes.newest('x', at('2'))).toEqual(at('3'));
  });

  it('returns the cached state once the cache contains the written state or a foreign write', () => {
    const writes = createOwnWrites<ConfigMap>();
    writes.note('x', '1', at('2'));
    expect(writes.newest('x', at('9'))).toEqual(at('9'));
    expect(writes.newest('x', at('1'))).toEqual(at('1'));
  });

  it('ignores a live read of a known state', () => {
    const writes = createOwnWrites<ConfigMap>();
    const cached = at('1');
    writes.note('x', '1', at('1'));
    expect(writes.newest('x', cached)).toBe(cached);
    writes.note('x', '1', at('2'));
    writes.note('x', '2', at('2'));
    expect(writes.newest('x', at('1'))).toEqual(at('2'));
  });

  it('never returns the state of a deleted object or of an object with the same name and another uid', () => {
    const writes = createOwnWrites<ConfigMap>();
    writes.note('x', '1', at('2'));
    expect(writes.newest('x', at('1', 'other'))).toEqual(at('1', 'other'));
    writes.note('x', '1', at('2'));
    expect(writes.newest('x', undefined)).toBeUndefined();
  });
});
