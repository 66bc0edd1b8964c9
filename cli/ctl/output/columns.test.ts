import { expect, it } from 'vitest';
import { gear } from './gear.fixture.ts';
import { createColumnWriter } from './columns.ts';
import { customCells, parseCustomColumns, parseCustomColumnsFile } from './custom-columns.ts';
import { sorterBy } from './sorting.ts';

it('createColumnWriter keeps the widths of earlier lines', () => {
  const write = createColumnWriter();
  expect(
    write([
      ['NAME', 'A'],
      ['longer', 'é'],
    ]),
  ).toBe('NAME     A\nlonger   é\n');
  expect(write([['x', 'y']])).toBe('x        y\n');
});

it.each([
  ['A:.spec.items[*].name', ['x,y,z']],
  ['A:.spec.none,B:.nope,C:spec.big,D:{.spec.f}', ['<nil>', '<none>', '9007199254740993', '1e+21']],
  ['A:.spec.items[0]', ['map[m:map[k:v] n:1 name:x tags:[p q]]']],
  [`A:.spec.items[?(@.name=='y')].n,B:.spec.items[0,2].name`, ['2.5', 'x,z']],
])('custom columns %s print what kubectl prints', (columns, cells) => {
  expect(customCells(parseCustomColumns(columns), gear)).toEqual(cells);
});

it('custom columns of a file have a line of names and a line of paths', () => {
  const columns = parseCustomColumnsFile('NAME   KIND\nmetadata.name  .kind\n');
  expect([columns.map(({ name }) => name), customCells(columns, gear)]).toEqual([
    ['NAME', 'KIND'],
    ['a', 'Gear'],
  ]);
  expect(() => parseCustomColumnsFile('NAME\na b')).toThrow(
    'number of headers (1) and field specifications (2)',
  );
});

it.each([
  ['', 'no custom columns given'],
  ['A', 'unexpected custom-columns spec: A, expected <header>:<json-path-expr>'],
  ['A:.x[', 'unterminated array'],
])('custom columns %j are rejected', (columns, message) => {
  expect(() => parseCustomColumns(columns)).toThrow(message);
});

it.each<[unknown[], unknown[]]>([
  [
    ['pod-10', 'pod-9', 'pod-1'],
    ['pod-1', 'pod-9', 'pod-10'],
  ],
  [
    ['1Gi', '500Mi', '2Gi'],
    ['500Mi', '1Gi', '2Gi'],
  ],
  [
    [3, 1, 2.5],
    [1, 2.5, 3],
  ],
  [
    ['b', undefined, 'a'],
    [undefined, 'a', 'b'],
  ],
  [
    ['2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z'],
    ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
  ],
])('%j are sorted to %j', (values, sorted) => {
  const objects = values.map((v) => (v === undefined ? {} : { v }));
  expect(sorterBy('{.v}', true)(objects, (each) => each).map(({ v }) => v)).toEqual(sorted);
});

it('a path that no object has is an error only if it is strict', () => {
  expect(() => sorterBy('.nope', true)([{}], (each) => each)).toThrow("couldn't find any field with path");
  expect(sorterBy('.nope', false)([{}], (each) => each)).toEqual([{}]);
});
