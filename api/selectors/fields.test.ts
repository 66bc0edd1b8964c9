import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EVERY_FIELD, FieldSelectorError, createFieldSelector, parseFieldSelector } from './fields.ts';

describe('parseFieldSelector', () => {
  it('reads requirements, sorts them and writes them in canonical form', () => {
    const selector = parseFieldSelector('status.phase!=Failed,metadata.name==web,,spec.nodeName=n1');
    expect(selector.requirements).toEqual([
      { path: 'metadata.name', op: '=', value: 'web' },
      { path: 'spec.nodeName', op: '=', value: 'n1' },
      { path: 'status.phase', op: '!=', value: 'Failed' },
    ]);
    expect(selector.toString()).toBe('metadata.name=web,spec.nodeName=n1,status.phase!=Failed');
  });

  it('selects objects that meet all requirements, and treats absent fields as empty strings', () => {
    const selector = parseFieldSelector('type=Opaque,owner!=bob');
    expect(selector.matches({ type: 'Opaque' })).toBe(true);
    expect(selector.matches({ type: 'Opaque', owner: 'bob' })).toBe(false);
    expect(selector.matches({})).toBe(false);
    expect(parseFieldSelector('owner=').matches({})).toBe(true);
    expect(parseFieldSelector('constructor=').matches({})).toBe(true);
  });

  it('selects everything if the selector is empty', () => {
    expect(parseFieldSelector('').empty).toBe(true);
    expect(EVERY_FIELD.matches({ any: 'x' })).toBe(true);
    expect(EVERY_FIELD.toString()).toBe('');
  });

  it.each(['=', '==', '!=', ',', ',=', '==,!=,,'])(
    'selects everything if all terms of the selector are empty: %j',
    (text) => {
      expect(parseFieldSelector(text).empty).toBe(true);
      expect(parseFieldSelector(`${text},metadata.name=x`).toString()).toBe('metadata.name=x');
    },
  );

  it('returns the required value of a field', () => {
    const selector = parseFieldSelector('metadata.name=web,owner!=bob');
    expect(selector.requiredValue('metadata.name')).toBe('web');
    expect(selector.requiredValue('owner')).toBeUndefined();
  });

  it.each([
    ['name', "invalid selector: 'name'; can't understand 'name'"],
    ['a=b,c', "invalid selector: 'a=b,c'; can't understand 'c'"],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a=b\\n', 'invalid field selector: invalid escape sequence: \\n'],
    ['a=b\\', 'invalid field selector: invalid escape sequence: \\'],
  ])('rejects %j', (text, message) => {
    expect(() => parseFieldSelector(text)).toThrow(new FieldSelectorError(message));
  });

  it('round-trips any value', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const selector = createFieldSelector([{ path: 'a.b', op: '=', value }]);
        expect(parseFieldSelector(selector.toString()).requirements).toEqual(selector.requirements);
      }),
    );
  });
});
