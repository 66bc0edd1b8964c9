import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mutantsOfFile } from '../catalogue.ts';
import type { Sources } from '../sources.ts';
import { openFiles } from '../sources.fixture.ts';
import { sourceOperators } from './index.ts';

/** Operator, source, and for each mutant the replacement of the part marked by `⟦…⟧`. */
type Case = readonly [operator: string, source: string, ...mutated: readonly string[]];

const DECLARED = 'declare const a: boolean, b: boolean, n: number, m: number, s: string, t: string;';

const cases: readonly Case[] = [
  ['negate-condition', 'if (a) f();', '!(a)'],
  ['negate-condition', 'while (a && b) f();', '!(a && b)'],
  ['negate-condition', 'export const x = a ? 1 : 2;', '!(a)'],
  ['negate-condition', 'export const x = a && b;'],
  ['drop-operand', 'export const x = a && b;', 'a', 'b'],
  ['drop-operand', 'export const x = a || b;', 'a', 'b'],
  ['change-comparison', 'export const x = n < m;', 'n <= m', 'n > m'],
  ['change-comparison', 'export const x = n >= m;', 'n > m', 'n <= m'],
  ['change-comparison', 'export const x = s === t;', 's !== t'],
  // The operator that negates conditions creates the same mutant.
  ['change-comparison', 'if (s === t) f();'],
  ['off-by-one', 'export const x = s.slice(1);', '(1 + 1)'],
  ['off-by-one', 'export const x = n + m;', 'n - m'],
  ['off-by-one', 'export const x = n + 1;', 'n - 1', '(1 + 1)'],
  ['off-by-one', 'export const x = s + t;'],
  ['flip-boolean', 'export const x = { orphan: true };', 'false'],
  ['remove-identity', 'export const x = { uid: s, name: t };', ''],
  ['remove-identity', 'export const x = { preconditions: { resourceVersion: s } };', '', ''],
  ['remove-identity', 'export const { uid } = { uid: s }; export type T = { uid: string };', ''],
  ['remove-retry', 'export const x = { requeueAfterMs: n, name: s };', ''],
  ['narrow-key', 'export const x = `${s}/${t}`;', "`${''}/${t}`", "`${s}/${''}`"],
  ['narrow-key', 'export const x = JSON.stringify([s, t]);', '', ''],
  ['narrow-key', 'throw new Error(`${s} is no ${t}`);'],
  ['drop-await', 'await g(s);', 'g(s)'],
  ['add-retry', 'await g(s);', 'await Promise.resolve(g(s)).catch(async () => g(s))'],
  ['add-retry', 'await p;'],
  ['swallow-error', 'await g(s);', 'await Promise.resolve(g(s)).catch(async () => {});'],
  ['swap-arguments', 'h(s, t, n);', 'h(t, s, n)'],
  ['swap-arguments', 'Math.max(n, m);'],
  ['swap-arguments', 'h(s, s, n);'],
  [
    'change-order',
    'export const x = [s].toSorted(c);',
    '[s].toSorted((a, b) => (c)(b, a))',
    '[s].toSorted()',
  ],
  ['change-order', 'export const x = [s].at(-1);', '[s].at(0)'],
  ['change-order', 'export const x = [s].toReversed();', '[s]'],
  ['remove-filter', 'export const x = [s].filter(Boolean);', '[s]'],
  ['remove-filter', 'export const x = [a].some(Boolean);', '[a].every(Boolean)'],
  ['remove-filter', 'export const x = s.toString();'],
  ['change-time', 'export const x = clock.now();', 'clock.monotonic()'],
  ['change-time', 'export const x = Math.max(n, m);', 'Math.min(n, m)'],
  ['change-time', 'export const x = Date.now();'],
  ['delete-statement', 'f(); export const x = 1;', ''],
  ['delete-statement', 'export function k() { if (a) return 1; f(); return 2; }', '', ''],
  ['delete-statement', 'log.info(s); export function k() { return 2; }'],
  ['return-early', 'export function k(): void { f(); f(); }', 'return;'],
  ['return-early', 'export async function k(): Promise<void> { f(); f(); }', 'return;'],
  ['return-early', 'export function k(): number { f(); return 2; }'],
];

const SURROUNDING = `${DECLARED}
declare const p: Promise<void>, clock: { now(): number; monotonic(): number }, log: { info(s: string): void };
declare function f(): void; declare function g(s: string): Promise<void>;
declare function h(s: string, t: string, n: number): void; declare function c(a: string, b: string): number;
`;

describe('source operators', () => {
  let sources: Sources;

  beforeAll(() => {
    sources = openFiles(
      Object.fromEntries(
        cases.map(([, source], i) => [`case-${i}.ts`, `${SURROUNDING}${source}\nexport {};\n`]),
      ),
    );
  });

  afterAll(() => sources[Symbol.dispose]());

  it.each(cases.map((each, i) => [...each.slice(0, 2), i] as [string, string, number]))(
    '%s mutates `%s`',
    (name, _, i) => {
      const operators = sourceOperators.filter((operator) => operator.name === name);
      const [, , ...mutated] = cases[i] ?? [];
      expect(mutantsOfFile(`case-${i}.ts`, sources, operators).map(({ change }) => change.text)).toEqual(
        mutated,
      );
    },
  );

  it('have unique names', () => {
    const names = sourceOperators.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it('each have a case', () => {
    const shown = new Set(cases.filter(([, , ...mutated]) => mutated.length > 0).map(([name]) => name));
    expect([...shown].toSorted()).toEqual(sourceOperators.map(({ name }) => name).toSorted());
  });
});
