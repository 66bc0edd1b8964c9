import { describe, expect, it } from 'vitest';
import { clusterRoles } from '../../api/groups/rbac-v1.ts';
import type { PolicyRule } from '../../api/types/rbac-v1.ts';
import { useWorld } from '../../test/world/use-world.ts';

const rule = (resource: string): PolicyRule => ({
  apiGroups: [''],
  resources: [resource],
  verbs: ['get'],
});

async function start() {
  const world = await useWorld({ controllers: ['clusterrole-aggregation'] });
  const roles = world.client.cluster(clusterRoles);
  return {
    ...world,
    roles,
    plain: (name: string, labels: Readonly<Record<string, string>>, ...resources: readonly string[]) =>
      roles.create({ metadata: { name, labels }, rules: resources.map(rule) }),
    aggregated: (
      name: string,
      selectors: readonly Readonly<Record<string, string>>[],
      labels: Readonly<Record<string, string>> = {},
    ) =>
      roles.create({
        metadata: { name, labels },
        aggregationRule: { clusterRoleSelectors: selectors.map((matchLabels) => ({ matchLabels })) },
        rules: [],
      }),
    resourcesOf: async (name: string) =>
      ((await roles.get(name)).rules ?? []).flatMap(({ resources }) => resources ?? []),
  };
}

describe('clusterRoleAggregationController', () => {
  it('writes the union of the rules of all selected roles, each once, in the order of role names', async () => {
    const { plain, aggregated, resourcesOf, eventually } = await start();
    await plain('c', { to: 'x' }, 'pods', 'secrets');
    await plain('a', { to: 'x' }, 'services');
    await plain('b', { also: 'x' }, 'pods');
    await plain('d', { to: 'y' }, 'nodes');
    await aggregated('sum', [{ to: 'x' }, { also: 'x' }]);
    await eventually(async () => expect(await resourcesOf('sum')).toEqual(['services', 'pods', 'secrets']));
  });

  it('removes a rule after its role is deleted, loses the label, or loses the rule', async () => {
    const { plain, aggregated, resourcesOf, eventually, roles } = await start();
    await plain('a', { to: 'x' }, 'pods');
    await plain('b', { to: 'x' }, 'services');
    await plain('c', { to: 'x' }, 'nodes', 'secrets');
    await aggregated('sum', [{ to: 'x' }]);
    await eventually(async () => expect(await resourcesOf('sum')).toHaveLength(4));
    await roles.delete('a');
    await roles.patch('b', 'merge', { metadata: { labels: { to: null } } });
    await roles.patch('c', 'merge', { rules: [rule('nodes')] });
    await eventually(async () => expect(await resourcesOf('sum')).toEqual(['nodes']));
  });

  it('includes the rules of selected roles that are themselves aggregated', async () => {
    const { plain, aggregated, resourcesOf, eventually, roles } = await start();
    await plain('leaf', { to: 'low' }, 'pods');
    await aggregated('low', [{ to: 'low' }], { to: 'middle' });
    await aggregated('middle', [{ to: 'middle' }], { to: 'high' });
    await aggregated('high', [{ to: 'high' }]);
    await eventually(async () => expect(await resourcesOf('high')).toEqual(['pods']));
    await roles.delete('leaf');
    await eventually(async () => {
      for (const name of ['low', 'middle', 'high']) expect(await resourcesOf(name)).toEqual([]);
    });
  });

  it('removes a revoked rule if roles select each other in a cycle or a role selects itself', async () => {
    const { plain, aggregated, resourcesOf, eventually, roles, clock, manager } = await start();
    await plain('leaf', { to: 'a' }, 'pods');
    await aggregated('one', [{ to: 'a' }], { to: 'b' });
    await aggregated('two', [{ to: 'b' }], { to: 'a' });
    await aggregated('self', [{ to: 'self' }, { to: 'a' }], { to: 'self' });
    await eventually(async () => {
      for (const name of ['one', 'two', 'self']) expect(await resourcesOf(name)).toEqual(['pods']);
    });
    await roles.delete('leaf');
    await eventually(async () => {
      for (const name of ['one', 'two', 'self']) expect(await resourcesOf(name)).toEqual([]);
    });
    const writes = () => manager.faults.seen.filter((line) => /^(PUT|PATCH)/.test(line)).length;
    const before = writes();
    await clock.advance(3_600_000);
    expect(writes()).toBe(before);
  });

  it('writes nothing if the rules are correct, and otherwise only the rules', async () => {
    const { plain, aggregated, resourcesOf, eventually, roles, manager, clock } = await start();
    await plain('a', { to: 'x' }, 'pods');
    const before = await aggregated('sum', [{ to: 'x' }], { own: 'label' });
    await eventually(async () => expect(await resourcesOf('sum')).toEqual(['pods']));
    const after = await roles.get('sum');
    expect(after.metadata?.labels).toEqual(before.metadata?.labels);
    expect(after.aggregationRule).toEqual(before.aggregationRule);
    const writes = () => manager.faults.seen.filter((line) => /^(PUT|PATCH|POST)/.test(line)).length;
    const wrote = writes();
    await roles.patch('a', 'merge', { metadata: { annotations: { a: 'b' } } });
    await plain('unrelated', {}, 'nodes');
    await clock.advance(60_000);
    expect(writes()).toBe(wrote);
  });

  it('never touches a role without an aggregation rule', async () => {
    const { plain, roles, clock } = await start();
    await plain('a', { to: 'a' }, 'pods');
    const { metadata } = await roles.get('a');
    await clock.advance(60_000);
    expect((await roles.get('a')).metadata?.resourceVersion).toBe(metadata?.resourceVersion);
  });

  it('replaces rules that a user wrote', async () => {
    const { plain, aggregated, resourcesOf, eventually, roles } = await start();
    await plain('a', { to: 'x' }, 'pods');
    await aggregated('sum', [{ to: 'x' }]);
    await eventually(async () => expect(await resourcesOf('sum')).toEqual(['pods']));
    await roles.patch('sum', 'merge', { rules: [rule('secrets')] });
    await eventually(async () => expect(await resourcesOf('sum')).toEqual(['pods']));
  });

  it('fills the default aggregated roles of a new cluster', async () => {
    const { resourcesOf, eventually } = await start();
    await eventually(async () => {
      const view = await resourcesOf('view');
      expect(view).toContain('configmaps');
      expect(view).not.toContain('secrets');
      expect(await resourcesOf('admin')).toContain('secrets');
    });
  });
});
