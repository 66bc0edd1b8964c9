import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WorkBudget, WorkBudgetError, charged } from '../../base/budget/work-budget.ts';
import { writeJson } from './exact-json.ts';
import { JsonSyntaxError, formatPath, parseJson, parseJsonLoose } from './json.ts';
import { scanJson } from './json-scan.ts';

const codeOf = (read: () => unknown): string => {
  try {
    read();
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error.code;
    throw error;
  }
  return 'accepted';
};

describe('parseJson', () => {
  it('reports duplicate keys by path and keeps the last value', () => {
    const { value, duplicates } = parseJson(
      '{"spec":{"replicas":1,"list":[{"name":"a"},{"name":"b","name":"c"}],"replicas":2}}',
    );
    expect(value).toEqual({ spec: { replicas: 2, list: [{ name: 'a' }, { name: 'c' }] } });
    expect(duplicates).toEqual(['spec.list[1].name', 'spec.replicas']);
  });

  it('reports a key given three times only once', () => {
    expect(parseJson('{"a":1,"a":2,"a":3}').duplicates).toEqual(['a']);
  });

  it('decodes escapes before it compares keys', () => {
    expect(parseJson('{"a":1,"\\u0061":2}').duplicates).toEqual(['a']);
  });

  it('ignores structural characters within strings', () => {
    expect(parseJson('{"a":"{\\"a\\":1,","b":"a","c":["a","a"]}').duplicates).toEqual([]);
  });

  it('keeps __proto__ as an ordinary key of the object', () => {
    const { value } = parseJson('{"__proto__":{"polluted":true}}');
    expect(Object.keys(value as object)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it('reports the paths of numbers not written as integers', () => {
    const { value, floats } = parseJson(
      '{"a":[1,2.0,{"b":1E3,"c":-1.5e-2}],"d":true,"e":"1.0","f":null,"g":7}',
    );
    expect(value).toMatchObject({ a: [1, 2, { b: 1000, c: -0.015 }] });
    expect(Object.fromEntries(floats ?? [])).toEqual({
      'a[1]': '2.0',
      'a[2].b': '1E3',
      'a[2].c': '-1.5e-2',
    });
    expect(parseJson('{"d":true,"e":"1.0e5","f":[1,-2]}').floats).toBeUndefined();
  });

  it('reads bytes as UTF-8', () => {
    expect(parseJson(new TextEncoder().encode('{"a":"é"}')).value).toEqual({ a: 'é' });
  });

  it.each(['', '{', '[1,]', '{a:1}', "{'a':1}", 'nul', '1 2', '// x\n1', '\ufeff{}', '01', '"\n"'])(
    'rejects %j because it is not JSON',
    (text) => {
      expect(codeOf(() => parseJson(text))).toBe('syntax');
      expect(codeOf(() => parseJsonLoose(text))).toBe('syntax');
    },
  );

  it('reads a lone escaped surrogate as U+FFFD, and a surrogate pair as its character', () => {
    const { value } = parseJson(
      '{"a\\ud800":"\\udc00 \\ud83d\\ude00 \\ud800\\ud83d\\ude00 \\\\ud800","b":1}',
    );
    expect(value).toEqual({ 'a\ufffd': '\ufffd \u{1f600} \ufffd\u{1f600} \\ud800', b: 1 });
  });

  it('quotes nothing of the source in its errors', () => {
    expect(() => parseJson('{"password":hunter2}')).toThrow(/^(?!.*hunter2)/);
  });

  it.each([1_001, 100_000, 2_000_000])('rejects %i levels instead of overflowing the stack', (levels) => {
    expect(codeOf(() => parseJson('['.repeat(levels) + ']'.repeat(levels)))).toBe('depth');
    expect(codeOf(() => parseJsonLoose('{"a":'.repeat(levels)))).toBe('depth');
  });

  it('allows the configured depth and does not count brackets in strings', () => {
    expect(codeOf(() => parseJson('[['.padEnd(20) + ']]', { maxDepth: 2 }))).toBe('accepted');
    expect(codeOf(() => parseJson(`[["${'['.repeat(50)}"]]`, { maxDepth: 2 }))).toBe('accepted');
    expect(codeOf(() => parseJson('[[[ "long enough to look at" ]]]', { maxDepth: 2 }))).toBe('depth');
  });

  it('parses any written value and reports no duplicates', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const text = JSON.stringify(value);
        const { value: read, duplicates } = parseJson(text);
        expect(writeJson(read)).toBe(text);
        expect(duplicates).toEqual([]);
      }),
    );
  });

  it('finds a duplicate key whatever its value and neighbours', () => {
    const value = fc.jsonValue({ maxDepth: 3 }).map((each) => JSON.stringify(each));
    fc.assert(
      fc.property(value, value, value, (first, between, second) => {
        const text = `[${between},{"twice":${first},"once":${between},"twice":${second}}]`;
        expect(parseJson(text).duplicates).toEqual(['[1].twice']);
      }),
    );
  });

  it('finds the end of a string after any number of backslashes', () => {
    const text = fc.string({ unit: fc.constantFrom('\\', '"', 'a', ':') });
    fc.assert(
      fc.property(text, text, (key, value) => {
        const once = `${JSON.stringify(key)}:${JSON.stringify(value)}`;
        expect(parseJson(`{${once}}`)).toEqual({ value: { [key]: value }, duplicates: [] });
        expect(parseJson(`{${once},${once}}`).duplicates).toEqual([key]);
      }),
    );
  });

  it('returns a value or throws a JsonSyntaxError for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:\\01aetrufalsn \n') }), (text) => {
        expect(['accepted', 'syntax', 'depth']).toContain(codeOf(() => parseJson(text)));
      }),
    );
  });
});

describe('the work budget', () => {
  const MB = 1024 * 1024;
  const numbers = (text: string): string =>
    `[${Array(MB)
      .fill(text)
      .join(',')
      .slice(0, 3 * MB)}0]`;
  const refused = (text: string): boolean => {
    try {
      charged(new WorkBudget(), () => parseJson(text));
      return false;
    } catch (error) {
      if (error instanceof WorkBudgetError) return true;
      throw error;
    }
  };

  it.each([
    ['small numbers', numbers('1')],
    ['fractions', numbers('0.1')],
    ['integers beyond 2^53', numbers('12345678901234567')],
    ['empty lists', numbers('[]')],
    ['empty objects', numbers('{}')],
    ['distinct keys', `{${Array.from({ length: 100_000 }, (_, at) => `"k${at}":1`).join(',')}}`],
    ['equal keys', `{${Array(400_000).fill('"a":1').join(',')}}`],
    ['fractions within a key of 1 MiB', `{"${'k'.repeat(MB)}":[${Array(1_000).fill('0.1').join(',')}]}`],
    ['digits of one number', '9'.repeat(3 * MB)],
    ['halves of surrogate pairs', `"${'\\ud800'.repeat(MB / 2)}"`],
  ])('rejects 3 MiB of %s', (_what, text) => {
    expect(refused(text)).toBe(true);
  });

  it.each([
    ['one string', `{"a":"${'x y '.repeat((3 * MB) / 4)}"}`],
    ['one string of escapes', `{"a":"${'\\n'.repeat((3 * MB) / 2)}"}`],
    ['one string of escaped surrogate pairs', `{"a":"${'\\ud83d\\ude00'.repeat(MB / 4)}"}`],
    ['30,000 objects', JSON.stringify(Array.from({ length: 30_000 }, (_, at) => ({ a: at, b: 'text' })))],
    [
      '10,000 keys',
      JSON.stringify(Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`k${at}`, 1]))),
    ],
    ['5,000 fractions', `{"a":[${Array(5_000).fill('0.5').join(',')}]}`],
  ])('allows parsing %s', (_what, text) => {
    expect(refused(text)).toBe(false);
  });

  it('counts values and members regardless of string contents', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const text = JSON.stringify(value);
        const shape = scanJson(Buffer.from(text), 1_000);
        expect({ members: shape.members, depth: shape.depth }).toEqual(countsOf(value));
      }),
    );
  });
});

function countsOf(value: unknown): { readonly members: number; readonly depth: number } {
  if (typeof value !== 'object' || value === null) return { members: 0, depth: 0 };
  const inner = Object.values(value).map(countsOf);
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return {
    members: inner.reduce((sum, { members }) => sum + members, own),
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
  };
}

describe('formatPath', () => {
  it('writes indices in brackets and names after dots', () => {
    expect(formatPath(['spec', 'containers', 0, 'name'])).toBe('spec.containers[0].name');
    expect(formatPath([])).toBe('');
  });
});
