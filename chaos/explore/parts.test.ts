import { describe, expect, it } from 'vitest';
import { createParts } from './parts.ts';
import { createStateTable } from './state-table.ts';

const version = (nth: number) => ({ resourceVersion: `secrets.a~1@0${nth}` });

describe('parts of worlds', () => {
  it('have the same number for the same content', () => {
    const parts = createParts();
    expect(parts.row([{ a: 1 }, []])).toEqual(parts.row([{ a: 1 }, []]));
    expect(parts.size).toBe(2);
  });

  it('are equal for worlds that differ only in how often an object was written', () => {
    const parts = createParts();
    expect(parts.row([version(7), { seen: version(4) }])).toEqual(
      parts.row([version(1), { seen: version(0) }]),
    );
  });

  it('keep the order and the equality of versions', () => {
    const parts = createParts();
    const behind = parts.row([version(7), { seen: version(4) }]);
    expect(parts.row([version(4), { seen: version(4) }])).not.toEqual(behind);
    expect(parts.row([version(4), { seen: version(7) }])).not.toEqual(behind);
  });

  it('name the newest version independently of older versions in memory', () => {
    const parts = createParts();
    const [alone] = parts.row([version(7)]);
    const [beside] = parts.row([version(7), { seen: version(4) }]);
    expect(beside).toBe(alone);
  });

  it('contain only those members of a version set that another part names', () => {
    const parts = createParts();
    const remembered = (...versions: number[]) => ({
      over: { set: versions.map((nth) => version(nth).resourceVersion) },
    });
    const behind = parts.row([version(7), version(4), remembered(1, 4)]);
    expect(parts.row([version(3), version(2), remembered(2)])).toEqual(behind);
    expect(parts.row([version(3), version(2), remembered(1)])).not.toEqual(behind);
    expect(parts.value(parts.row([version(7), remembered(1, 4)])[1] ?? -1)).toEqual({ over: { set: [] } });
  });

  it('distinguish the versions of recreated objects', () => {
    const parts = createParts();
    const [first] = parts.row([{ resourceVersion: 'secrets.a~1@03' }]);
    const [second] = parts.row([{ resourceVersion: 'secrets.a~2@03' }]);
    expect(parts.value(first ?? -1)).toEqual({ resourceVersion: 'secrets.a~1@23' });
    expect(parts.value(second ?? -1)).toEqual({ resourceVersion: 'secrets.a~2@23' });
  });
});

describe('the state table', () => {
  it('stores each row once, even beyond its initial capacity', () => {
    const table = createStateTable(2);
    for (let n = 0; n < 10_000; n++) expect(table.add([n % 5_000, n % 3])).toBeDefined();
    expect(table.size).toBe(10_000);
    expect(table.add([7, 1])).toEqual({ id: 7, isNew: false });
    expect([...table.row(4_999)]).toEqual([4_999, 1]);
  });

  it('rejects a row with another number of columns', () =>
    expect(() => createStateTable(2).add([1])).toThrow('a row has 1 numbers, expected 2'));
});
