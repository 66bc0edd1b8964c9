import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonFault } from './json-fault.ts';

const END = 'unexpected end of JSON input';

describe('jsonFault', () => {
  it.each([
    ['not json', "invalid character 'o' in literal null (expecting 'u')"],
    ['{bad', "invalid character 'b' looking for beginning of object key string"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b"}', `invalid character '"' after object key:value pair`],
    ['[1 2]', "invalid character '2' after array element"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
    ['{} x', "invalid character 'x' after top-level value"],
    ['apiVersion: v1', "invalid character 'a' looking for beginning of value"],
    ['"a\nb"', "invalid character '\\n' in string literal"],
    ['"\\q"', "invalid character 'q' in string escape code"],
    ['"\\u00g0"', "invalid character 'g' in \\u hexadecimal character escape"],
    ['-x', "invalid character 'x' in numeric literal"],
    ['1.x', "invalid character 'x' after decimal point in numeric literal"],
    ['1e+x', "invalid character 'x' in exponent of numeric literal"],
    ['01', "invalid character '1' after top-level value"],
    ["'a'", "invalid character '\\'' looking for beginning of value"],
    ['é', "invalid character 'Ã' looking for beginning of value"],
    ['', END],
    ['{"a":"b', END],
    ['[', END],
    ['tru', END],
  ])('reports the same error in %j as Go', (text, expected) => {
    expect(jsonFault(text)).toBe(expected);
  });

  it('finds an error in every text that the parser rejects, and quotes at most one character', () => {
    const texts = fc.oneof(
      fc.string({ unit: fc.constantFrom(...'{}[]:,"\\u0 1e.-+tfnrl\n') }),
      fc.json().chain((text) => fc.nat(text.length).map((at) => text.slice(0, at))),
    );
    fc.assert(
      fc.property(texts, (text) => {
        try {
          JSON.parse(text);
        } catch {
          expect(jsonFault(text)).toMatch(
            /^(unexpected end of JSON input|invalid character '(\\?.|\\x..)' (in|after|looking for) .+)$/u,
          );
        }
      }),
    );
  });
});
