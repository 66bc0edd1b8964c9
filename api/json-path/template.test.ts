import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonPathSyntax, parseJsonPathTemplate } from './parser.ts';
import { JsonPathFailure, evaluateTemplate, printTemplate } from './template.ts';

const gear = {
  kind: 'Gear',
  metadata: { name: 'a', labels: { app: 'web', tier: 'x' } },
  spec: {
    items: [
      { name: 'x', n: 1, tags: ['p', 'q'], m: { k: 'v' } },
      { name: 'y', n: 2.5, tags: [] },
      { name: 'z', n: 3_000_000, nested: [{ a: 1 }, { a: 2 }] },
    ],
    flag: true,
    html: '<a&b>',
    none: null,
    big: 9007199254740993n,
    f: 1e21,
    s: 'line\nbreak',
  },
};

// The outputs of kubectl 1.32 for this object.
describe('a template prints', () => {
  it.each<[string, string]>([
    ['{.metadata.name}', 'a'],
    ['{@.metadata.name}{$.kind}', 'aGear'],
    ['text {.metadata.name} more', 'text a more'],
    ['.metadata.name', '.metadata.name'],
    ['{.spec.items[*].name}', 'x y z'],
    ['{.spec.items[0].m}', '{"k":"v"}'],
    ['{.spec.items[0:2].tags}', '["p","q"] []'],
    ['{.spec.html}{.spec.items[0].nope}', '<a&b>'],
    ['{.metadata.labels}', '{"app":"web","tier":"x"}'],
    ['{range .spec.items[*]}{.name}={.n}{"\\n"}{end}', 'x=1\ny=2.5\nz=3000000\n'],
    ['{range .spec.items[*]}{.name}{range .tags[*]}[{@}]{end};{end}x', 'x[p][q];y;z;x'],
    ['{range .spec.items[*]}{range .nested[*]}{.a},{end}{end}|{.metadata.name}', '1,2,|a'],
    ['{range .spec.items[*]}{range .nope[*]}x{end}{.name}{end}', 'xyz'],
    ['{range .nope[*]}a{end}b', 'b'],
    ['{range .spec.items[*]}{.name}', 'xyz'],
    ['{range $.spec.items[0:2]}{.tags}{end}', '["p","q"][]'],
    ['{.spec.items[?(@.name=="y")].n}', '2.5'],
    ['{.spec.items[?(@.tags)].name}', 'x y'],
    ['{.spec.items[-1:].name}', 'z'],
    ['{.spec.flag} {.spec.big} {.spec.f}', 'true 9007199254740993 1e+21'],
    ['{.spec.none}|{.spec.nope}', 'null|'],
    ["{.metadata.labels.app}{'\\t'}{.metadata.labels['tier']}", 'web\tx'],
    ['{"a"}{"b"} {1} {2.50} {true}', 'ab 1 2.5 true'],
    ["{.spec.items[*]['name','n']}", 'x y z 1 2.5 3000000'],
    ['{.spec.s}', 'line\nbreak'],
  ])('%s', (template, output) => {
    expect(printTemplate(parseJsonPathTemplate(template), gear)).toBe(output);
  });
});

it.each([
  ['{.spec.items[', 'unterminated array'],
  ['{.spec.items[x]}', 'invalid array index x'],
  ['{%}', "unrecognized character in action: U+0025 '%'"],
  ['{"unclosed}', 'unterminated quoted string'],
  ['{.a', 'unclosed action'],
])('the template %s is rejected with the reason of client-go', (template, reason) => {
  expect(() => parseJsonPathTemplate(template)).toThrow(new JsonPathSyntax(reason));
});

it.each([
  ['{.spec.items[?(@.n>2)].name}', 'incompatible types for comparison'],
  ['{.spec.items[7].name}', 'array index out of bounds: index 7, length 3'],
  ['{end}', 'not in range, nothing to end'],
  ['{foo}', 'unrecognized identifier foo'],
])('the template %s fails with the reason of client-go', (template, reason) => {
  expect(() => printTemplate(parseJsonPathTemplate(template), gear)).toThrow(new JsonPathFailure(reason));
});

it('any text is printed, or rejected with one of two errors', () => {
  const pieces = fc.constantFrom(
    '{',
    '}',
    'range ',
    'end',
    '.a',
    '..',
    '[*]',
    '[0]',
    '[?(@.a==1)]',
    '"x"',
    ' ',
    '@',
    '$',
    '*',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), fc.jsonValue(), (words, root) => {
      try {
        for (const values of evaluateTemplate(parseJsonPathTemplate(words.join('')), root))
          expect(Array.isArray(values)).toBe(true);
      } catch (thrown) {
        expect(thrown instanceof JsonPathSyntax || thrown instanceof JsonPathFailure).toBe(true);
      }
    }),
  );
});
