import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keyElement, parseElement, sortElements, valueElement } from './path-element.ts';

describe('a path element', () => {
  test.each([
    ['plain', 'v:"plain"'],
    ['a<b>&c', String.raw`v:"a\u003cb\u003e\u0026c"`],
    ['\u2028\u2029', String.raw`v:"\u2028\u2029"`],
    ['\b\f', String.raw`v:"\u0008\u000c"`],
    ['\n\r\t\u0001', String.raw`v:"\n\r\t\u0001"`],
    [String.raw`\b"é`, String.raw`v:"\\b\"é"`],
  ])('escapes %j as Go does', (value, text) => {
    expect(valueElement(value)).toBe(text);
    expect(parseElement(text)).toBe(text);
  });

  test('is equal for keys in any order', () => {
    const text = String.raw`k:{"mountPath":"/a\u0026b"}`;
    expect(keyElement([['mountPath', '/a&b']])).toBe(text);
    expect(parseElement('k:{ "mountPath": "/a&b" }')).toBe(text);
  });
});

test('sortElements sorts strings by code point and numbers by value', () => {
  expect(sortElements(['f:\u{1f600}', 'f:\uffee', 'f:b', 'f:a'])).toEqual([
    'f:a',
    'f:b',
    'f:\uffee',
    'f:\u{1f600}',
  ]);
  expect(sortElements(['v:"\u{1f600}"', 'v:"\uffee"', 'v:9007199254740993', 'v:2', 'f:a'])).toEqual([
    'f:a',
    'v:2',
    'v:9007199254740993',
    'v:"\uffee"',
    'v:"\u{1f600}"',
  ]);
});

test('sortElements sorts items by their key, whatever characters the key contains', () => {
  const text = fc.string({ unit: fc.constantFrom(...'abAB19.-/:_ !"#\\é\u{1f600}') });
  fc.assert(
    fc.property(fc.uniqueArray(text, { maxLength: 8 }), (names) => {
      const elements = names.map((name) => keyElement([['name', name]]));
      const inOrder = names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      expect(sortElements(elements)).toEqual(inOrder.map((name) => keyElement([['name', name]])));
    }),
  );
});
