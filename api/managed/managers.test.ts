import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseManagers } from './managers.ts';

const text = fc.string({ minLength: 1, maxLength: 5 });

const entry = fc.record(
  {
    manager: text,
    operation: fc.constantFrom('Apply', 'Update'),
    apiVersion: fc.constantFrom('v1', 'apps/v1'),
    time: fc.constant('2024-01-01T00:00:00Z'),
    fieldsType: fc.constant('FieldsV1'),
    fieldsV1: fc.uniqueArray(text).map((names) => Object.fromEntries(names.map((name) => [`f:${name}`, {}]))),
    subresource: fc.constantFrom('', 'status'),
  },
  { requiredKeys: ['operation', 'apiVersion', 'fieldsType'] },
);

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(frozen);
  return Object.freeze(value);
}

describe('parseManagers', () => {
  it('returns the cached managers of frozen entries', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 4 }), (entries) => {
        const read = parseManagers(entries);
        const stored = frozen(structuredClone(entries));
        expect(parseManagers(stored)).toEqual(read);
        expect(parseManagers([...stored])).toEqual(read);
      }),
    );
  });

  it('reads an entry again if it may have changed', () => {
    const mine = {
      manager: 'a',
      operation: 'Update',
      apiVersion: 'v1',
      fieldsType: 'FieldsV1',
      fieldsV1: {},
    };
    parseManagers([mine]);
    mine.manager = 'b';
    expect([...parseManagers([mine]).values()].map(({ manager }) => manager)).toEqual(['b']);
  });

  it('rejects an unreadable entry on every call', () => {
    const spoilt = frozen([{ manager: 'a', operation: 'Other', apiVersion: 'v1', fieldsType: 'FieldsV1' }]);
    for (let time = 0; time < 2; time++) expect(() => parseManagers(spoilt)).toThrow('operation must be');
  });
});
