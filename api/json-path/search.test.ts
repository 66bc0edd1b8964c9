import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJsonPath } from './parser.ts';
import { findAll } from './search.ts';
import { GoNumber } from './json-path.ts';

const object = {
  a: {
    'b.c': 1,
    l: [
      { t: 'x', v: 1 },
      { t: 'y', v: 2.5 },
      { t: 'z', v: 3 },
    ],
  },
  big: 9007199254740993n,
  n: null,
  s: 'hi',
  yes: true,
  servers: [{ hosts: [] }, { hosts: ['h2'] }],
  mixed: [{ v: 'str' }, { v: 3 }, {}],
  empty: {},
};

/** Returns 'unreadable', 'error', or the values found. */
function search(path: string, root: unknown = object): unknown {
  const parsed = parseJsonPath(path);
  return parsed === undefined ? 'unreadable' : (findAll(parsed, root) ?? 'error');
}

describe('the path of a printer column', () => {
  it.each<[string, unknown]>([
    ['.a.l[1].v', [2.5]],
    ['$.a.l[1].v', [2.5]],
    ['@.s', ['hi']],
    ['.x.y', []],
    ['.n', [null]],
    ['.n.x', []],
    ['.n[0]', []],
    ['.s.x', []],
    // Paths with fields.
    ['.a.b\\.c', [1]],
    [".a['b\\.c']", [1]],
    [".a['b.c']", []],
    ['.a["b\\.c"]', 'unreadable'],
    [".a['l'][0].t", ['x']],
    ['.a.', []],
    ['.[0]', []],
    ['s', 'error'],
    ['range .a.l', 'error'],
    // Paths with list items and slices.
    ['.a.l[-1].t', ['z']],
    ['.a.l[-3].t', ['x']],
    ['.a.l[-4].t', 'error'],
    ['.a.l[3].t', 'error'],
    ['.a.l[0:2].t', ['x', 'y']],
    ['.a.l[:2].t', ['x', 'y']],
    ['.a.l[1:].t', ['y', 'z']],
    ['.a.l[-2:].t', ['y', 'z']],
    ['.a.l[:-1].t', ['x', 'y']],
    ['.a.l[::2].t', ['x', 'z']],
    ['.a.l[0:3:2].t', ['x', 'z']],
    ['.a.l[0:3:0].t', 'error'],
    ['.a.l[0:3:-1].t', 'error'],
    ['.a.l[1:5].t', 'error'],
    ['.a.l[2:1].t', 'error'],
    ['.a.l[2:2].t', []],
    ['.a.l[].t', ['x']],
    ['.a.l[*].t', ['x', 'y', 'z']],
    ['.a.l[:].t', ['x', 'y', 'z']],
    ['.a[*]', 'error'],
    ['.s[0]', 'error'],
    ['.servers[*].hosts[0]', 'error'],
    ['.servers[*].hosts[*]', []],
    ['.servers[1].hosts[*]', ['h2']],
    ['.a.l[x]', 'unreadable'],
    ['.a.l[-]', 'unreadable'],
    ['.a.l[1:2:3:4]', 'unreadable'],
    ['.a.l[99999999999999999999]', 'unreadable'],
    ['.a.l[', 'unreadable'],
    // Paths with unions.
    ['.a.l[0,2].t', ['x', 'z']],
    ['.a.l[0, -1].t', ['x', 'z']],
    ['.a.l[0,7].t', 'error'],
    [".a.l[0]['t','v']", ['x', 1]],
    [".a.l[0]['t,v']", 'unreadable'],
    // Paths with wildcards and recursive descent.
    ['.a.l[0].*', ['x', 1]],
    ['.empty.*', []],
    ['.s.*', [new GoNumber('uint', 104), new GoNumber('uint', 105)]],
    ['..v', [1, 2.5, 3, 'str', 3]],
    ['..l[0].t', ['x']],
    ['....v', 'unreadable'],
    ['..*', 'unreadable'],
    // Paths with filters.
    ['.a.l[?(@.t=="y")].v', [2.5]],
    [".a.l[?(@.t=='y')].v", [2.5]],
    ['.a.l[?(@.t!="y")].v', [1, 3]],
    ['.a.l[?(@.t >= "y")].v', [2.5, 3]],
    ['.a.l[?(@.v>1)].t', 'error'],
    ['.a.l[?(@.v==2.5)].t', 'error'],
    ['.mixed[?(@.v>2)].v', 'error'],
    ['.mixed[1:][?(@.v>2)].v', 'error'],
    ['.mixed[?(@.v)].v', ['str', 3]],
    ['.mixed[?(@.w=="x")].v', []],
    ['.a.l[?(@.t=~"y")].v', 'unreadable'],
    ['.a.l[?(@.t="y")].v', 'error'],
    ['.a.l[?(@.*=="y")].v', 'error'],
    ['.a.l[?(@.t==true)].v', 'error'],
    ['.a[?(@.t)]', 'error'],
    ['.a.l[?(@.t=="y"].v', 'unreadable'],
    ['.a.l[?(@.t', 'unreadable'],
    ['.a.l[?(@.t=="y")', 'unreadable'],
    // Literals, and paths with several actions.
    ['"text"', ['text']],
    ["'it\\'s'", ["it's"]],
    ["'\\q'", 'unreadable'],
    ['-1.5', [new GoNumber('float', -1.5)]],
    ['7', [new GoNumber('int', 7)]],
    ['1.2.3', 'unreadable'],
    ['true', [true]],
    ['.s}{.yes', ['hi']],
    ['.s}{.a.l[9]', 'error'],
    ['.s}{', ['hi']],
    ['.s}{[', 'unreadable'],
    ['.a b', 'error'],
    ['.a\n.b', 'unreadable'],
    ['.a(b', []],
    ['(a', 'unreadable'],
  ])('%s finds %j', (path, expected) => {
    expect(search(path)).toEqual(expected);
  });

  it('compares integers of any size with integers', () => {
    const root = { l: [{ v: 9007199254740993n }, { v: 5 }] };
    expect(search('.l[?(@.v==9007199254740993)].v', root)).toEqual([9007199254740993n]);
    expect(search('.l[?(@.v>5)].v', root)).toEqual([9007199254740993n]);
    expect(search('.l[?(@.v==5.0)].v', root)).toBe('error');
  });

  it('fails when it would visit too many values', () => {
    const wide = {
      l: Array.from({ length: 200 }, () => ({ m: Array.from({ length: 200 }, () => ({ a: 1 })) })),
    };
    expect(search('..m[*]..a', wide)).toBe('error');
    expect(search('.l[0].m[*].a', wide)).toHaveLength(200);
  });

  const key = fc.string({
    unit: fc.constantFrom('a', 'b', '.', '/', '-', '@', ' ', '[', '{', 'é'),
    minLength: 1,
  });
  const { value: json } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      fc.constantFrom<unknown>(null, true, 0, 1.5, 'text', ''),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));
  const written = (name: string): string => name.replaceAll(/[. [\]{}@$,\t]/g, (found) => `\\${found}`);

  interface Place {
    readonly path: string;
    readonly value: unknown;
  }

  /**
   * Yields every position in a JSON value and a path to it. Quoted names and indices from the end alternate
   * with the plain forms.
   */
  function* placesIn(value: unknown, path = ''): Generator<Place> {
    if (path !== '') yield { path, value };
    const quoted = path.length % 2 === 0;
    if (Array.isArray(value))
      for (const [at, item] of value.entries())
        yield* placesIn(item, `${path}[${quoted ? at : at - value.length}]`);
    else if (typeof value === 'object' && value !== null)
      for (const [name, each] of Object.entries(value)) {
        const inQuotes = quoted && !/[\][,]/.test(name);
        yield* placesIn(each, inQuotes ? `${path}['${written(name)}']` : `${path}.${written(name)}`);
      }
  }

  it('finds each value of any JSON value by its path', () => {
    fc.assert(
      fc.property(json, (document) => {
        for (const { path, value } of placesIn({ root: document }))
          expect([path, search(path, { root: document })]).toEqual([path, [value]]);
      }),
    );
  });

  it('slices a list like JavaScript for any bounds', () => {
    const list = fc.array(fc.nat(), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(
        list,
        fc.integer({ min: -8, max: 8 }),
        fc.integer({ min: -8, max: 8 }),
        fc.integer({ min: 1, max: 3 }),
        (l, a, b, step) => {
          const from = a < 0 ? a + l.length : a;
          const to = b < 0 ? b + l.length : b;
          const isInside = from === to || (from >= 0 && from < to && to <= l.length);
          const expected = l.slice(Math.max(from, 0), Math.max(to, 0)).filter((_, at) => at % step === 0);
          expect(search(`.l[${a}:${b}:${step}]`, { l })).toEqual(
            isInside ? (from === to ? [] : expected) : 'error',
          );
        },
      ),
    );
  });

  it('joins the results of the parts of a union, and fails if one part fails', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(), { maxLength: 5 }),
        fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 2, maxLength: 4 }),
        (l, indices) => {
          const found = indices.map((at) => l.at(at));
          expect(search(`.l[${indices.join(',')}]`, { l })).toEqual(
            found.includes(undefined) ? 'error' : found,
          );
        },
      ),
    );
  });

  it('does not throw for any string', () => {
    const pieces = [
      '.',
      '..',
      '[',
      ']',
      '*',
      '?(',
      '@',
      ')',
      "'",
      '"',
      ':',
      ',',
      '$',
      '==',
      '<',
      '-1',
      '2',
      'a',
      'l',
      't',
      '\\',
      '{',
      '}',
      ' ',
      '\n',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), (parts) => {
        search(parts.join(''));
      }),
      { numRuns: 2000 },
    );
  });
});
