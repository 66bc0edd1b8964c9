import { describe, expect, it } from 'vitest';
import { type Table, createTableWriter, readTable } from './table.ts';

const table = (...rows: readonly (readonly [name: string, ...cells: readonly unknown[]])[]): Table => {
  const read = readTable({
    kind: 'Table',
    columnDefinitions: [{ name: 'Name', priority: 0 }, { name: 'Data' }, { name: 'Images', priority: 1 }],
    rows: rows.map((cells) => ({ cells, object: { metadata: { name: cells[0], namespace: 'ns' } } })),
  });
  return read ?? expect.unreachable();
};

describe('createTableWriter', () => {
  it('aligns columns to the widest cell', () => {
    const write = createTableWriter({ wide: false, namespaces: false });
    expect(write(table(['a', 1, 'x'], ['longer', null, 'y']))).toBe(
      'NAME     DATA\na        1\nlonger   <none>\n',
    );
  });

  it('includes wide columns and namespaces if requested', () => {
    const write = createTableWriter({ wide: true, namespaces: true });
    expect(write(table(['a', 1, 'x']))).toBe(
      'NAMESPACE   NAME   DATA   IMAGES\nns          a      1      x\n',
    );
  });

  it('writes later tables without a header and with the same column widths', () => {
    const write = createTableWriter({ wide: false, namespaces: false });
    write(table(['longer', 1, 'x']));
    const later: Table = { ...table(['a', 2, 'x']), columns: [] };
    expect(write(later)).toBe('a        2\n');
  });

  it('writes only the first line of a cell', () => {
    const write = createTableWriter({ wide: false, namespaces: false });
    expect(write(table(['a\nb', 1, 'x']))).toBe('NAME   DATA\na      1\n');
  });

  it('readTable returns undefined for a value that is not a table', () => {
    expect(readTable({ kind: 'ConfigMapList', items: [] })).toBeUndefined();
    expect(readTable('text')).toBeUndefined();
  });
});
