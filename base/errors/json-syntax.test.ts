import { describe, expect, it } from 'vitest';
import { parseJsonQuietly, withoutQuotedInput } from './json-syntax.ts';

const VALUE = 'sesame';

describe('error of the JSON parser', () => {
  it('contains no part of the input, wherever the input is invalid', () => {
    const text = `{"a":{"data":"${VALUE}","n":[1,"${VALUE}"]}}`;
    const broken = [...text].flatMap((_, at) => [
      text.slice(0, at),
      text.slice(at),
      `${text.slice(0, at)}${VALUE}${text.slice(at)}`,
      `${text.slice(0, at)}"${text.slice(at)}`,
    ]);
    const messages = broken.flatMap((each) => {
      try {
        parseJsonQuietly(each);
        return [];
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(SyntaxError);
        return [(thrown as Error).message + String((thrown as Error).cause)];
      }
    });
    expect(messages.length).toBeGreaterThan(100);
    expect(messages.filter((message) => /ses|same/.test(message))).toEqual([]);
  });

  it('loses its quoted input within a longer text', () => {
    const text = `failed: Unexpected token 's', ..."a":${VALUE}"... is not valid JSON\n    at x`;
    expect(withoutQuotedInput(text)).toBe("failed: Unexpected token 's': not valid JSON\n    at x");
  });
});
