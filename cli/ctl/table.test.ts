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

describe('a table', () => {
  it('stands in columns as wide as what is in them', () => {
    const write = createTableWriter({ wide: false, namespaces: false });
    expect(write(table(['a', 1, 'x'], ['longer', null, 'y']))).toBe(
      'NAME     DATA\na        1\nlonger   <none>\n',
    );
  });

  it('shows more to whoever wants it wide, and where things are', () => {
    const write = createTableWriter({ wide: true, namespaces: true });
    expect(write(table(['a', 1, 'x']))).toBe(
      'NAMESPACE   NAME   DATA   IMAGES\nns          a      1      x\n',
    );
  });

  it('goes on below without its head, at the same width', () => {
    const write = createTableWriter({ wide: false, namespaces: false });
    write(table(['longer', 1, 'x']));
    const later: Table = { ...table(['a', 2, 'x']), columns: [] };
    expect(write(later)).toBe('a        2\n');
  });

  it('shows the first line of what has several', () => {
    const write = createTableWriter({ wide: false, namespaces: false });
    expect(write(table(['a\nb', 1, 'x']))).toBe('NAME   DATA\na      1\n');
  });

  it('is nothing else', () => {
    expect(readTable({ kind: 'ConfigMapList', items: [] })).toBeUndefined();
    expect(readTable('text')).toBeUndefined();
  });
});
