import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PolicyRule } from '../../api/types/rbac-v1.ts';
import { WorkBudget, charged } from '../../base/budget/work-budget.ts';
import { uncovered } from './rule-coverage.ts';

const named = (letter: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${letter}${at}`);
const box = (count: number): PolicyRule => ({
  verbs: named('v', count),
  apiGroups: named('g', count),
  resources: named('r', count),
});
/** Returns the missing rules and the number of work units used to find them. */
function workOf(held: readonly PolicyRule[], wanted: readonly PolicyRule[]) {
  const budget = new WorkBudget();
  const missing = charged(budget, () => uncovered(held, wanted, 500));
  return { ...missing, work: budget.spent };
}

describe('comparison of rules', () => {
  it.each<[string, PolicyRule[], number]>([
    ['no rules', [], 1e6],
    ['some verbs of everything', [{ verbs: named('v', 50), apiGroups: ['*'], resources: ['*'] }], 1e6],
    ['one group', [{ verbs: ['*'], apiGroups: ['g7'], resources: ['*'] }], 990_000],
    ['two overlapping parts', [{ ...box(60) }, { ...box(90) }], 1e6],
  ])('does not enumerate combinations if the user has %s', (_, held, places) => {
    const rule = { ...box(100), resourceNames: named('n', 100) };
    const { rules, left, work } = workOf(held, [rule]);
    expect(rules).toHaveLength(500);
    expect(rules.length + left).toBe(places);
    expect(work).toBeLessThan(20_000);
  });

  it('recognizes several rules that together allow every combination of values', () => {
    const halves = [named('v', 100).slice(0, 50), named('v', 100).slice(50)];
    const held = halves.map((verbs) => ({ ...box(100), verbs }));
    expect(workOf(held, [box(100)]).rules).toEqual([]);
    expect(workOf(held.slice(1), [box(100)]).rules[0]?.verbs).toEqual(named('v', 50));
  });

  it('uses work linear in the number of rules', () => {
    const many = (count: number): PolicyRule[] =>
      named('r', count).map((each) => ({ verbs: ['get'], apiGroups: [''], resources: [each] }));
    const work = [1_000, 4_000].map((count) => workOf(many(count), many(count)).work);
    expect((work[1] ?? 0) / (work[0] ?? 1)).toBeLessThan(4.5);
  });

  it('has the same result as a comparison of every combination', () => {
    const some = (...values: string[]) => fc.subarray(values, { minLength: 1 });
    const rule: fc.Arbitrary<PolicyRule> = fc.oneof(
      fc.record(
        {
          verbs: some('get', 'list', '*'),
          apiGroups: some('', 'apps', '*'),
          resources: some('a', 'a/x', 'b/x', '*/x', '*'),
          resourceNames: fc.subarray(['n', 'm']),
        },
        { requiredKeys: ['verbs', 'apiGroups', 'resources'] },
      ),
      fc.record({ verbs: some('get', 'put', '*'), nonResourceURLs: some('/a', '/a/b', '/a/*', '/*', '*') }),
    );
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 5 }), fc.array(rule, { maxLength: 3 }), (held, wanted) => {
        const found = uncovered(held, wanted);
        expect(found.left).toBe(0);
        expect(partsOf(found.rules)).toEqual(partsOf(wanted).filter((part) => !isHeld(held, part)));
      }),
      { numRuns: 500 },
    );
  });
});

interface Part {
  readonly verb: string;
  readonly group?: string;
  readonly resource?: string;
  readonly name?: string | undefined;
  readonly path?: string;
}

/** Returns all combinations of the rules' values, sorted and without duplicates. */
const partsOf = (rules: readonly PolicyRule[]): readonly Part[] => {
  const parts = rules.flatMap(
    ({ verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }) => [
      ...verbs.flatMap((verb): Part[] =>
        apiGroups.flatMap((group) =>
          resources.flatMap((resource) =>
            (resourceNames.length === 0 ? [undefined] : resourceNames).map((name) => ({
              verb,
              group,
              resource,
              name,
            })),
          ),
        ),
      ),
      ...verbs.flatMap((verb): Part[] => nonResourceURLs.map((path) => ({ verb, path }))),
    ],
  );
  const texts = [...new Set(parts.map((part) => JSON.stringify(part)))].sort();
  return texts.map((text) => JSON.parse(text) as Part);
};

const isHeld = (
  held: readonly PolicyRule[],
  { verb, group = '', resource = '', name, path }: Part,
): boolean =>
  held.some((rule) => {
    const names = rule.resourceNames ?? [];
    const has = (list: readonly string[] | undefined, value: string): boolean =>
      (list ?? []).some((each) => each === '*' || each === value);
    if (!has(rule.verbs, verb) || (names.length > 0 && !names.includes(name ?? ''))) return false;
    if (path !== undefined)
      return (rule.nonResourceURLs ?? []).some(
        (each) => each === path || (each.endsWith('*') && path.startsWith(each.slice(0, -1))),
      );
    const under = resource.includes('/') ? `*${resource.slice(resource.indexOf('/'))}` : resource;
    return has(rule.apiGroups, group) && (has(rule.resources, resource) || has(rule.resources, under));
  });
