import { describe, expect, it } from 'vitest';
import { goQuote, isGoPrintable } from './go-quote.ts';

describe('goQuote', () => {
  it.each([
    ['plain text', '"plain text"'],
    ['"\\', '"\\"\\\\"'],
    ['a\u0000b', '"a\\x00b"'],
    ['\u0007\b\f\n\r\t\u000b\u007f', '"\\a\\b\\f\\n\\r\\t\\v\\x7f"'],
    ['é日本', '"é日本"'],
    ['\u00a0\u200b', '"\\u00a0\\u200b"'],
    ['\u{1f600}', '"\u{1f600}"'],
    ['\u{e0001}', '"\\U000e0001"'],
    ['\ud800', '"\ufffd"'],
  ])('writes %j as Go does', (text, quoted) => {
    expect(goQuote(text)).toBe(quoted);
  });
});

describe('isGoPrintable', () => {
  it('accepts the ASCII space, but no other space and no control character', () => {
    expect(['a', ' ', 'é', '\u00a0', '\u0000', '\u2028'].map(isGoPrintable)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});
