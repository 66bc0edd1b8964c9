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

describe('aggregation of cluster roles', () => {
  it('is the union of the matching roles, in the order of their names, each rule once', () => {
    const all = [
      role('b', ['get', 'list'], ['x']),
      role('a', ['watch', 'get'], ['x']),
      role('other', ['delete'], ['y']),
    ];
    expect(aggregate(role('sum', [], [], ['x']), all)).toEqual(['watch', 'get', 'list']);
  });

  it('takes what the first selector finds before what the second does', () => {
    const all = [role('a', ['get'], ['y']), role('b', ['list'], ['x']), role('c', ['watch'], ['x', 'y'])];
    expect(aggregate(role('sum', [], [], ['x', 'y']), all)).toEqual(['list', 'watch', 'get']);
  });

  it('reaches through aggregated roles to their sources', () => {
    const view = role('view', [], ['to-edit'], ['to-view']);
    const all = [view, role('read', ['get'], ['to-view']), role('write', ['update'], ['to-edit'])];
    expect(aggregate(role('edit', [], [], ['to-edit']), all)).toEqual(['get', 'update']);
  });

  it('a rule never survives its source by mutual support of roles that select each other', () => {
    const a = role('a', ['stale'], ['to-b'], ['to-a']);
    const b = role('b', ['stale'], ['to-a'], ['to-b']);
    expect(aggregate(a, [a, b])).toEqual([]);
    expect(aggregate(b, [a, b])).toEqual([]);
  });

  it('a role that selects itself takes nothing from itself', () => {
    const self = role('self', ['stale'], ['x'], ['x']);
    expect(aggregate(self, [self, role('source', ['get'], ['x'])])).toEqual(['get']);
  });

  it('never depends on the order of the list', () => {
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
