import fc from 'fast-check';
import { expect, it } from 'vitest';
import { goFloat, goJson, goNumber } from './go-text.ts';

it.each([
  [0.5, '0.5'],
  [0.00001, '1e-05'],
  [0.0001, '0.0001'],
  [0.00012345, '0.00012345'],
  [123456.5, '123456.5'],
  [1234567.5, '1.2345675e+06'],
  [1e20, '1e+20'],
  [-2.5e-7, '-2.5e-07'],
  [1e100, '1e+100'],
  [2 ** 63, '9.223372036854776e+18'],
])('goFloat(%d) formats the number as Go does: %s', (value, text) => {
  expect(goFloat(value)).toBe(text);
  expect(goNumber(value)).toBe(text);
});

it.each([
  [1_000_000, '1000000'],
  [-(2 ** 53), '-9007199254740992'],
  [9223372036854775807n, '9223372036854775807'],
])('goNumber(%d) writes all digits: %s', (value, text) => {
  expect(goNumber(value)).toBe(text);
});

it('goFloat round-trips any float', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      expect(Number(goFloat(value))).toBe(value);
    }),
  );
});

it.each([
  [{ k: '<a>&b' }, String.raw`{"k":"\u003ca\u003e\u0026b"}`],
  [{ b: 1, a: [{ d: null, c: true }] }, '{"a":[{"c":true,"d":null}],"b":1}'],
  ['\b\f\n\\b\u2028', String.raw`"\u0008\u000c\n\\b\u2028"`],
  [[9223372036854775807n, 1e21, 1e-7], '[9223372036854775807,1e+21,1e-7]'],
])('goJson(%o) writes JSON as Go does: %s', (value, text) => {
  expect(goJson(value)).toBe(text);
});

it('goJson round-trips any JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(goJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
