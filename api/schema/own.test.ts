import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonObject, cloneJson, equalJson, getOwn, setOwn } from './own.ts';

describe('setOwn', () => {
  it('keeps the prototype of the object', () => {
    const object: JsonObject = {};
    setOwn(object, '__proto__', { polluted: true });
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
    expect(getOwn(object, '__proto__')).toEqual({ polluted: true });
    expect(object['polluted']).toBeUndefined();
  });
});

describe('getOwn', () => {
  it('does not read inherited members', () => {
    expect(getOwn({}, 'toString')).toBeUndefined();
    expect(getOwn({}, '__proto__')).toBeUndefined();
  });
});

describe('cloneJson', () => {
  it('returns an equal value that shares nothing', () => {
    const source = { list: [{ a: 1 }], map: JSON.parse('{"__proto__":1}') as unknown };
    const copy = cloneJson(source);
    expect(JSON.stringify(copy)).toBe(JSON.stringify(source));
    expect(copy.list[0]).not.toBe(source.list[0]);
    expect(copy.map).not.toBe(source.map);
  });
});

describe('equalJson', () => {
  it.each([
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [[1, 2], [2, 1], false],
    [{ a: undefined }, {}, false],
    [{}, [], false],
    [null, {}, false],
    [{ toString: 1 }, { valueOf: 1 }, false],
    ['1', 1, false],
  ])('compares %j with %j as %s', (left, right, equal) => {
    expect(equalJson(left, right)).toBe(equal);
  });

  it('returns true for any value and its copy', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => equalJson(value, cloneJson(value))));
  });
});
