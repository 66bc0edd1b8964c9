import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AggregatedRole, aggregate, sameRules } from './aggregate.ts';

const labelled =
  (label: string) =>
  (labels: { readonly [key: string]: string }): boolean =>
    labels[label] === 'true';
const role = (
  name: string,
  rules: readonly string[],
  labels: readonly string[] = [],
  selects?: readonly string[],
): AggregatedRole<string> => ({
  name,
  rules,
  labels: Object.fromEntries(labels.map((label) => [label, 'true'])),
  selects: selects?.map(labelled),
});

describe('aggregate', () => {
  it('returns the union of the rules of matching roles in name order, each rule once', () => {
    const all = [
      role('b', ['get', 'list'], ['x']),
      role('a', ['watch', 'get'], ['x']),
      role('other', ['delete'], ['y']),
    ];
    expect(aggregate(role('sum', [], [], ['x']), all)).toEqual(['watch', 'get', 'list']);
  });

  it('puts the matches of the first selector before those of the second', () => {
    const all = [role('a', ['get'], ['y']), role('b', ['list'], ['x']), role('c', ['watch'], ['x', 'y'])];
    expect(aggregate(role('sum', [], [], ['x', 'y']), all)).toEqual(['list', 'watch', 'get']);
  });

  it('follows selected aggregated roles to the roles that they select', () => {
    const view = role('view', [], ['to-edit'], ['to-view']);
    const all = [view, role('read', ['get'], ['to-view']), role('write', ['update'], ['to-edit'])];
    expect(aggregate(role('edit', [], [], ['to-edit']), all)).toEqual(['get', 'update']);
  });

  it('drops a rule without a source even if two roles select each other', () => {
    const a = role('a', ['stale'], ['to-b'], ['to-a']);
    const b = role('b', ['stale'], ['to-a'], ['to-b']);
    expect(aggregate(a, [a, b])).toEqual([]);
    expect(aggregate(b, [a, b])).toEqual([]);
  });

  it('ignores the rules of the role itself if the role selects itself', () => {
    const self = role('self', ['stale'], ['x'], ['x']);
    expect(aggregate(self, [self, role('source', ['get'], ['x'])])).toEqual(['get']);
  });

  it('is independent of the order of the list', () => {
    const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1 });
    const roles = names.chain((each) =>
      fc.tuple(
        ...each.map((name) =>
          fc
            .record({
              labels: fc.subarray(['x', 'y']),
              selects: fc.option(fc.subarray(['x', 'y']), { nil: undefined }),
            })
            .map(({ labels, selects }) => role(name, [`rule of ${name}`], labels, selects)),
        ),
      ),
    );
    fc.assert(
      fc.property(roles, (all) => {
        const sum = role('sum', [], [], ['x']);
        expect(sameRules(aggregate(sum, all), aggregate(sum, [...all].reverse()))).toBe(true);
      }),
    );
  });
});
