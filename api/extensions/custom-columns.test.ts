import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CREATED } from '../kinds/columns.ts';
import { customColumns } from './custom-columns.ts';

describe('the columns of a custom resource', () => {
  it('are Name and Age, with the usual descriptions, if its definition declares none', () => {
    const [name, age, ...rest] = customColumns([]);
    expect([name?.name, rest]).toEqual(['Name', []]);
    expect(age).toMatchObject({ name: 'Age', type: 'date', description: CREATED });
  });

  it('have their JSON path as default description', () => {
    const [, spec, described] = customColumns([
      { name: 'Spec', type: 'string', jsonPath: '.spec.a' },
      { name: 'Size', type: 'integer', jsonPath: '.spec.size', description: 'How many', priority: 1 },
    ]);
    expect(spec?.description).toBe('Custom resource definition column (in JSONPath format): .spec.a');
    expect(described).toMatchObject({ description: 'How many', priority: 1 });
  });
});

describe('a cell of a custom resource', () => {
  const object = {
    metadata: { name: 'x', labels: { 'a.b/c': 'L' } },
    spec: {
      null: null,
      obj: { k: '<a>' },
      small: 0.00001,
      large: 1e20,
      int: 7,
      big: 9007199254740993n,
      half: 2.5,
      arr: ['a', 'b', 'c'],
      s: 'str',
      no: false,
    },
  };
  const cellsOf = (...columns: readonly (readonly [type: string, jsonPath: string])[]): unknown[] =>
    customColumns(columns.map(([type, jsonPath]) => ({ name: 'C', type, jsonPath })))
      .slice(1)
      .map(({ cell }) => cell(object as never, Date.UTC(2026, 0, 1)));

  it.each<[string, string, unknown]>([
    ['string', '.spec.null', '<no value>'],
    ['integer', '.spec.null', null],
    ['string', '.spec.nothing', null],
    ['string', '.spec.obj', String.raw`{"k":"\u003ca\u003e"}`],
    ['string', '.spec.arr', '["a","b","c"]'],
    ['string', '.spec.small', '1e-05'],
    ['string', '.spec.large', '1e+20'],
    ['string', '.spec.big', '9007199254740993'],
    ['string', '.spec.no', 'false'],
    ['string', '.spec.arr[1:5]', null],
    ['string', '.spec.arr[0,2]', 'a'],
    ['string', '.spec.s.*', '115'],
    ['integer', '.spec.s.*', null],
    ['string', "{.spec['s','int']", null],
    ['string', ".spec['s','int']", 'str'],
    ['string', ".metadata.labels['a.b/c']", null],
    ['string', ".metadata.labels['a\\.b/c']", 'L'],
    ['integer', '.spec.large', -9223372036854775808n],
    ['integer', '.spec.half', 2],
    ['integer', '.spec.big', 9007199254740993n],
    ['integer', '.spec.s', null],
    ['integer', '7', null],
    ['number', '.spec.half', 2.5],
    ['number', '.spec.big', 9007199254740992],
    ['number', '1.5', 1.5],
    ['boolean', '.spec.no', false],
    ['boolean', '.spec.s', null],
    ['date', '.spec.s', '<invalid>'],
    ['date', '.spec.int', null],
    ['date', '"null"', '<unknown>'],
    ['tree', '.spec.s', null],
  ])('for the type %s at %s contains %s', (type, jsonPath, expected) => {
    expect(cellsOf([type, jsonPath])).toEqual([expected]);
  });

  it('is written even if the path of an earlier column is invalid', () => {
    const piece = fc.constantFrom(
      '.',
      '[',
      ']',
      "'a'",
      ',',
      '0',
      ':',
      '?(',
      '@',
      ')',
      '==',
      '*',
      'spec',
      '{',
      '}',
    );
    const path = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(fc.array(path, { maxLength: 4 }), (paths) => {
        const others = paths.map((jsonPath) => ['string', jsonPath] as const);
        const cells = cellsOf(...others, ['string', '.spec.s'], ...others);
        expect([cells.length, cells[others.length]]).toEqual([others.length * 2 + 1, 'str']);
      }),
    );
  });
});
