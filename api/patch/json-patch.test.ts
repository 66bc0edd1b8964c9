import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../schema/own.ts';
import { type JsonPatchOptions, applyJsonPatch } from './json-patch.ts';
import { PatchError } from './patch-error.ts';

const document = (): JsonObject => ({ a: { b: [1, 2, 3] }, 'x/y': 1, 'm~n': 2, nothing: null });

const refusal = (operations: unknown, options?: JsonPatchOptions, source = document()): PatchError => {
  try {
    applyJsonPatch(source, operations, options);
  } catch (error) {
    if (error instanceof PatchError) return error;
    throw error;
  }
  throw new Error('accepted');
};

describe('applyJsonPatch', () => {
  it.each([
    ['adds a member', { op: 'add', path: '/c', value: { d: 1 } }, { c: { d: 1 } }],
    [
      'replaces an existing member with the operation add',
      { op: 'add', path: '/x~1y', value: 5 },
      { 'x/y': 5 },
    ],
    ['inserts an item at an index', { op: 'add', path: '/a/b/1', value: 9 }, { a: { b: [1, 9, 2, 3] } }],
    ['appends an item', { op: 'add', path: '/a/b/-', value: 9 }, { a: { b: [1, 2, 3, 9] } }],
    [
      'appends an item at an index equal to the length',
      { op: 'add', path: '/a/b/3', value: 9 },
      { a: { b: [1, 2, 3, 9] } },
    ],
    ['counts negative indices from the end', { op: 'remove', path: '/a/b/-1' }, { a: { b: [1, 2] } }],
    ['replaces an item', { op: 'replace', path: '/a/b/0', value: 9 }, { a: { b: [9, 2, 3] } }],
    ['replaces a null', { op: 'replace', path: '/nothing', value: 1 }, { nothing: 1 }],
    ['replaces a missing member', { op: 'replace', path: '/c', value: 1 }, { c: 1 }],
    ['replaces an item from the end', { op: 'replace', path: '/a/b/-1', value: 9 }, { a: { b: [1, 2, 9] } }],
    ['copies a missing member as null', { op: 'copy', from: '/q', path: '/c' }, { c: null }],
    ['ignores a replacement of the whole object by a scalar', { op: 'replace', path: '', value: 'text' }, {}],
    ['copies a value', { op: 'copy', from: '/a/b/0', path: '/m~0n' }, { 'm~n': 1 }],
    ['adds null if the operation has no value', { op: 'add', path: '/c' }, { c: null }],
  ])('%s', (_, operation, change) => {
    expect(applyJsonPatch(document(), [operation])).toEqual({ ...document(), ...change });
  });

  it('moves values, and shares nothing between a copy and its source', () => {
    const patched = applyJsonPatch(document(), [
      { op: 'copy', from: '/a', path: '/c' },
      { op: 'move', from: '/a/b', path: '/d' },
      { op: 'add', path: '/d/-', value: 4 },
      { op: 'remove', path: '/x~1y' },
    ]);
    expect(patched).toEqual({ a: {}, c: { b: [1, 2, 3] }, d: [1, 2, 3, 4], 'm~n': 2, nothing: null });
  });

  it('replaces the whole object and tests the whole object', () => {
    const [all, whole] = [
      { op: 'replace', path: '', value: { b: 1 } },
      { op: 'test', path: '', value: { b: 1 } },
    ];
    expect(applyJsonPatch(document(), [all, whole])).toEqual({ b: 1 });
    expect(refusal([whole]).code).toBe('test-failed');
  });

  it('treats a null patch as empty', () => {
    expect(applyJsonPatch(document(), null)).toEqual(document());
  });

  it('compares values in `test` regardless of key order', () => {
    const source = { a: { x: 1, y: [{}] } };
    expect(applyJsonPatch(source, [{ op: 'test', path: '/a', value: { y: [{}], x: 1 } }])).toEqual(source);
    expect(applyJsonPatch(source, [{ op: 'test', path: '/b', value: null }])).toEqual(source);
    const error = refusal([{ op: 'test', path: '/a', value: { x: 1 } }]);
    expect(error.code).toBe('test-failed');
    expect(error.message).toBe('testing value /a failed: test failed');
  });

  it.each([
    [
      { op: 'remove', path: '/q' },
      "error in remove for path: '/q': Unable to remove nonexistent key: q: missing value",
    ],
    [
      { op: 'remove', path: '/q/r' },
      'remove operation does not apply: doc is missing path: "/q/r": missing value',
    ],
    [
      { op: 'replace', path: '/q/r', value: 1 },
      'replace operation does not apply: doc is missing path: /q/r: missing value',
    ],
    [
      { op: 'replace', path: '/a/b/3', value: 1 },
      'replace operation does not apply: doc is missing key: /a/b/3: missing value',
    ],
    [{ op: 'replace', path: '', value: [] }, 'replace operation does not leave an object of the document'],
    [
      { op: 'copy', from: '/a/b/3', path: '/c' },
      "error in copy for from: '/a/b/3': Unable to access invalid index: 3: invalid index referenced",
    ],
    [
      { op: 'add', path: '/q/r', value: 1 },
      'add operation does not apply: doc is missing path: "/q/r": missing value',
    ],
    [
      { op: 'add', path: '', value: {} },
      'add operation does not apply: doc is missing path: "": missing value',
    ],
    [
      { op: 'add', path: '/a/b/4', value: 1 },
      "error in add for path: '/a/b/4': Unable to access invalid index: 4: invalid index referenced",
    ],
    [
      { op: 'add', path: '/a/b/x', value: 1 },
      `error in add for path: '/a/b/x': value was not a proper array index: 'x': strconv.Atoi: parsing "x": invalid syntax`,
    ],
    [
      { op: 'move', from: '/q/r', path: '/s' },
      'move operation does not apply: doc is missing from path: /q/r: missing value',
    ],
    [
      { op: 'test', path: '/a/b/9', value: null },
      "error in test for path: '/a/b/9': Unable to access invalid index: 9: invalid index referenced",
    ],
    [
      { op: 'test', path: '/a/b/x', value: null },
      `error in test for path: '/a/b/x': strconv.Atoi: parsing "x": invalid syntax`,
    ],
    [{ op: 'copy', path: '/s' }, 'copy operation failed to decode from: missing value'],
    [{ op: 'frob', path: '/a' }, 'Unexpected kind: frob'],
    [
      { op: 'add', path: '/toString/x', value: 1 },
      'add operation does not apply: doc is missing path: "/toString/x": missing value',
    ],
    [null, 'Unexpected kind: unknown'],
  ])('rejects %j', (operation, message) => {
    const error = refusal([operation]);
    expect(error.message).toBe(message);
    expect(error.code).toBe('unprocessable');
  });

  it.each([
    [{}, 'object into Go value of type jsonpatch.Patch'],
    ['text', 'string into Go value of type jsonpatch.Patch'],
    [[1], 'number into Go value of type jsonpatch.Operation'],
    [[{ op: 'frob' }, []], 'array into Go value of type jsonpatch.Operation'],
  ])('rejects %j because it is not a list of operations', (operations, message) => {
    expect(refusal(operations)).toMatchObject({
      code: 'malformed',
      message: `json: cannot unmarshal ${message}`,
    });
  });

  it('rejects more operations than the maximum', () => {
    const error = refusal(Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/q', value: null })));
    expect(error.code).toBe('too-large');
    expect(error.message).toBe(
      'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    );
  });

  it('rejects copies that multiply the size of the object', () => {
    const double = [
      { op: 'copy', from: '/a', path: '/a/b/-' },
      { op: 'copy', from: '/a', path: '/c' },
      { op: 'copy', from: '/c', path: '/a/b/-' },
    ];
    expect(refusal(Array.from({ length: 60 }, () => double).flat()).code).toBe('unprocessable');
  });

  it('rejects moves that nest the object too deeply', () => {
    const nest = Array.from({ length: 1_200 }, () => ({ op: 'move', from: '/a', path: '/b/a' })).flatMap(
      (move) => [{ op: 'add', path: '/b', value: {} }, move, { op: 'move', from: '/b', path: '/a' }],
    );
    expect(refusal(nest).message).toBe('the patched document is nested deeper than 1000 levels');
  });

  it('treats __proto__ as a key', () => {
    const patched = applyJsonPatch({}, [
      { op: 'add', path: '/__proto__', value: {} },
      { op: 'add', path: '/__proto__/polluted', value: true },
    ]);
    expect(JSON.stringify(patched)).toBe('{"__proto__":{"polluted":true}}');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('changes neither argument for any patch', () => {
    const paths = fc.constantFrom(
      '/a',
      '/a/b',
      '/a/b/0',
      '/a/b/-',
      '/a/b/-1',
      '/x~1y',
      '/q',
      '',
      '/nothing/z',
    );
    const operation = fc.record({
      op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test'),
      path: paths,
      from: paths,
      value: fc.jsonValue({ maxDepth: 2 }),
    });
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 8 }), (operations) => {
        const source = document();
        const before = JSON.stringify([source, operations]);
        try {
          applyJsonPatch(source, operations);
        } catch (error) {
          expect(error).toBeInstanceOf(PatchError);
        }
        expect(JSON.stringify([source, operations])).toBe(before);
      }),
    );
  });
});
