import { describe, expect, it } from 'vitest';
import { lifecycles } from '../../api/lifecycles/index.ts';
import { orchVocabulary, vocabularies } from '../../api/vocabulary/index.ts';
import { withStates } from './state-column.ts';
import { createTableWriter, readTable } from './table.ts';

const nowMs = Date.parse('2026-03-01T00:00:00Z');
const kinds = lifecycles.flatMap(({ kind }) => (kind ? [kind] : []));

const tableOf = (...objects: readonly object[]) =>
  readTable({
    kind: 'Table',
    columnDefinitions: [{ name: 'Name' }],
    rows: objects.map((object, at) => ({ cells: [`o${at}`], object })),
  }) ?? expect.unreachable();

describe('the column STATE', () => {
  for (const vocabulary of vocabularies)
    it.each(kinds.map(({ group, plural }) => [plural, vocabulary.group(group)] as const))(
      `is known for %s of the group %j in ${vocabulary.product}`,
      (plural, group) => {
        const headers = (of: string) =>
          withStates(tableOf({}), { plural, group: of }, { nowMs, vocabulary }).columns.map(
            ({ name }) => name,
          );
        expect([headers(group), headers('example.com')]).toEqual([['NAME', 'STATE'], ['NAME']]);
      },
    );

  it('has the state of each object, and <none> for an object without one', () => {
    const secrets = { group: '', plural: 'secrets' };
    const token = { type: 'orch.io/service-account-token', metadata: { name: 'a' } };
    const table = withStates(tableOf(token, { type: 'Opaque', metadata: { name: 'b' } }), secrets, {
      nowMs,
      vocabulary: orchVocabulary,
    });
    const write = createTableWriter({ wide: false, namespaces: false });
    expect(write(table)).toMatch(/^NAME +STATE\no0 +Unfilled\no1 +<none>\n$/);
  });

  it('is <unknown> for a row without its object', () => {
    const table = readTable({
      kind: 'Table',
      columnDefinitions: [{ name: 'Name' }],
      rows: [{ cells: ['a'] }],
    });
    const named = { group: '', plural: 'namespaces' };
    const shown = withStates(table ?? expect.unreachable(), named, { nowMs, vocabulary: orchVocabulary });
    expect(shown.rows[0]?.cells).toEqual(['a', '<unknown>']);
  });

  it('adds no header to a later table of a watch', () => {
    const later = { ...tableOf({ status: { phase: 'Active' } }), columns: [] };
    const named = { group: '', plural: 'namespaces' };
    const shown = withStates(later, named, { nowMs, vocabulary: orchVocabulary });
    expect(shown).toMatchObject({ columns: [], rows: [{ cells: ['o0', 'Active'] }] });
  });
});
