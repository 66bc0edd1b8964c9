import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyMergePatch } from './merge-patch.ts';
import { PatchError } from './patch-error.ts';

describe('applyMergePatch', () => {
  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    [{ a: 'text' }, { a: { b: 1 } }, { a: { b: 1 } }],
    [{}, { a: [null, 1, [null]] }, { a: [null, 1, [null]] }],
  ])('merges into %j the patch %j: %j, as in RFC 7386', (document, patch, expected) => {
    expect(applyMergePatch(document, patch)).toEqual(expected);
  });

  // The RFC copies a list unchanged.
  it.each([
    [{}, { a: [{ b: null, c: [{ d: null }] }] }, { a: [{ c: [{}] }] }],
    [{ a: [{ b: 1 }] }, { a: [{ b: null }] }, { a: [{}] }],
    [{ a: { b: 1 } }, { a: [{ b: null }] }, { a: [{ b: null }] }],
  ])('merges into %j the patch %j: %j, treating lists as upstream does', (document, patch, expected) => {
    expect(applyMergePatch(document, patch)).toEqual(expected);
  });

  it.each([[[]], ['text'], [null]])('rejects %j as a patch', (patch) => {
    expect(() => applyMergePatch({}, patch)).toThrow(PatchError);
  });

  it('shares nothing between the result and the original object', () => {
    const source = { kept: { list: [1] } };
    expect(applyMergePatch(source, { a: 1 })['kept']).not.toBe(source.kept);
  });

  it('treats __proto__ as a key', () => {
    const patched = applyMergePatch(
      JSON.parse('{"__proto__":{"a":1,"b":2}}'),
      JSON.parse('{"__proto__":{"b":null}}'),
    );
    expect(JSON.stringify(patched)).toBe('{"__proto__":{"a":1}}');
    expect(Object.getPrototypeOf(patched)).toBe(Object.prototype);
  });

  it('changes neither argument, and is idempotent', () => {
    const objects = fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), fc.jsonValue({ maxDepth: 3 }));
    fc.assert(
      fc.property(objects, objects, (document, patch) => {
        const before = JSON.stringify([document, patch]);
        const once = applyMergePatch(document, patch);
        expect(JSON.stringify([document, patch])).toBe(before);
        const again = applyMergePatch(once, patch);
        // A list that has replaced an object retains its nulls. The second patch replaces this list by a list
        // without nulls.
        if (/\[.*null/.test(before)) expect(applyMergePatch(again, patch)).toEqual(again);
        else expect(again).toEqual(once);
      }),
    );
  });
});
