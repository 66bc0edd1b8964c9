import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  EMPTY,
  type FieldSet,
  LEAF,
  difference,
  equalSets,
  hasPath,
  includes,
  intersection,
  isEmpty,
  meet,
  pathsOf,
  recursiveDifference,
  setOf,
  sharing,
  union,
} from './field-set.ts';
import { parseFieldsV1, toFieldsV1 } from './fields-v1.ts';
import { fieldElement, keyElement, printPath, valueElement } from './path-element.ts';

const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean());

const element = fc.oneof(
  fc.string().map(fieldElement),
  fc.constantFrom('__proto__', 'constructor', '.', '').map(fieldElement),
  scalar.map(valueElement),
  fc.nat().map((index) => `i:${String(index)}`),
  fc
    .uniqueArray(fc.tuple(fc.constantFrom('name', 'port', '__proto__'), scalar), {
      minLength: 1,
      selector: ([name]) => name,
    })
    .map(keyElement),
);

const path = fc.array(element, { minLength: 1, maxLength: 4 });
const set = fc.array(path, { maxLength: 8 }).map((paths): FieldSet => setOf(...paths));

const textOf = (fields: FieldSet): string => JSON.stringify(toFieldsV1(fields));

describe('toFieldsV1 and parseFieldsV1', () => {
  test('round-trip every set', () => {
    fc.assert(fc.property(set, (fields) => equalSets(parseFieldsV1(JSON.parse(textOf(fields))), fields)));
  });

  test('write equal sets as equal JSON regardless of insertion order', () => {
    fc.assert(
      fc.property(set, set, (left, right) => textOf(union(left, right)) === textOf(union(right, left))),
    );
  });

  test('return one set for equal JSON, and write shared branches once', () => {
    fc.assert(
      fc.property(set, path, (fields, added) => {
        const [read, again] = [0, 1].map(() => parseFieldsV1(JSON.parse(textOf(fields))));
        expect(again).toBe(read);
        expect(equalSets(read ?? EMPTY, fields)).toBe(true);
        const larger = union(fields, setOf(added));
        const shared = sharing(setOf(...pathsOf(larger)), fields);
        expect(textOf(shared)).toBe(textOf(larger));
        for (const [element, below] of fields.children)
          if (below.children.size > 0 && element !== added[0])
            expect(toFieldsV1(shared)[element]).toBe(toFieldsV1(fields)[element]);
      }),
    );
  });

  test('write `.` first for a path that is owned in addition to its children', () => {
    const fields = setOf(['f:a'], ['f:a', 'k:{"name":"x"}'], ['f:a', 'k:{"name":"x"}', 'f:name']);
    expect(textOf(fields)).toBe('{"f:a":{".":{},"k:{\\"name\\":\\"x\\"}":{".":{},"f:name":{}}}}');
  });

  test('sort fields before keys, keys by their values, and numbers as numbers', () => {
    const steps = ['k:{"port":443}', 'v:"b"', 'k:{"port":80}', 'f:z', 'v:2', 'v:10', 'f:a', 'i:1'];
    expect(Object.keys(toFieldsV1(setOf(...steps.map((step) => [step]))))).toEqual([
      'f:a',
      'f:z',
      'k:{"port":80}',
      'k:{"port":443}',
      'v:2',
      'v:10',
      'v:"b"',
      'i:1',
    ]);
  });

  test('read keys in any order as the same item', () => {
    const fields = parseFieldsV1({ 'k:{"protocol":"TCP","port":80}': {} });
    expect(hasPath(fields, ['k:{"port":80,"protocol":"TCP"}'])).toBe(true);
  });

  test('skip path elements of an unknown kind', () => {
    expect(textOf(parseFieldsV1({ 'x:new': {}, 'f:a': {} }))).toBe('{"f:a":{}}');
  });

  test.each([['nocolon'], ['k:[1]'], ['k:{'], ['v:'], ['i:x'], ['']])(
    'reject the path element %j',
    (step) => {
      expect(() => parseFieldsV1({ [step]: {} })).toThrow();
    },
  );

  test.each([[null], [1], ['x'], [[]], [{ 'f:a': 1 }]])('reject %j as a set', (fields) => {
    expect(() => parseFieldsV1(fields)).toThrow();
  });
});

describe('union, difference and intersection', () => {
  test('obey the laws of sets', () => {
    fc.assert(
      fc.property(set, set, (left, right) => {
        const both = intersection(left, right);
        const rest = difference(left, right);
        return (
          equalSets(union(both, rest), left) &&
          equalSets(intersection(rest, right), EMPTY) &&
          equalSets(both, intersection(right, left)) &&
          includes(left, both) &&
          includes(left, right) === isEmpty(difference(right, left)) &&
          meet(left, right) === !isEmpty(both)
        );
      }),
    );
  });

  test('contain exactly the paths of the sets from which they were created', () => {
    fc.assert(
      fc.property(fc.array(path, { maxLength: 6 }), (paths) => {
        const texts = new Set(paths.map((each) => JSON.stringify(each)));
        return (
          pathsOf(setOf(...paths)).every((each) => texts.has(JSON.stringify(each))) &&
          pathsOf(setOf(...paths)).length === texts.size
        );
      }),
    );
  });

  test('retain the children of a subtracted path unless the difference is recursive', () => {
    const fields = setOf(['f:a'], ['f:a', 'f:b']);
    expect(textOf(difference(fields, setOf(['f:a'])))).toBe('{"f:a":{"f:b":{}}}');
    expect(recursiveDifference(fields, setOf(['f:a']))).toEqual(EMPTY);
    expect(recursiveDifference(LEAF, LEAF)).toBe(EMPTY);
  });
});

test('printPath prints paths as upstream does', () => {
  expect(
    printPath([
      'f:spec',
      keyElement([
        ['port', 80],
        ['name', 'a"b'],
      ]),
      'f:x',
      'v:"t"',
      'v:1',
      'i:3',
    ]),
  ).toBe('.spec[name="a\\"b",port=80].x[="t"][=1][3]');
});
