import { describe, expect, it } from 'vitest';
import { clusterRoles } from '../../api/groups/rbac-v1.ts';
import type { PolicyRule } from '../../api/types/rbac-v1.ts';
import type { Fault } from '../../test/world/faults.ts';
import { shareWorld, useWorld } from '../../test/world/use-world.ts';
import type { World } from '../../test/world/world.ts';

const MINUTE = 60_000;
const controllers = ['clusterrole-aggregation'];
const shared = shareWorld({ controllers });
let count = 0;

const get = (resource: string): PolicyRule => ({ apiGroups: [''], resources: [resource], verbs: ['get'] });

/** Roles whose names and labels no other test has. */
function rolesIn(world: World) {
  const id = `r${++count}`;
  const roles = world.client.cluster(clusterRoles);
  const named = (name: string) => `${id}-${name}`;
  const rulesOf = async (name: string) => (await roles.get(named(name))).rules ?? [];
  const since = world.manager.faults.seen.length;
  return {
    id,
    roles,
    named,
    plain: (name: string, rules: readonly PolicyRule[], labels: Record<string, string> = { to: id }) =>
      roles.create({ metadata: { name: named(name), labels }, rules: [...rules] }),
    sum: (selector: object = { matchLabels: { to: id } }, metadata: object = {}) =>
      roles.create({
        metadata: { name: named('sum'), ...metadata },
        aggregationRule: { clusterRoleSelectors: [selector] },
        rules: [],
      }),
    expectRules: (rules: readonly PolicyRule[]) =>
      world.eventually(async () => expect(await rulesOf('sum')).toEqual(rules)),
    rulesOf,
    writes: () =>
      world.manager.faults.seen
        .slice(since)
        .filter((line) => !line.startsWith('GET') && line.includes(`/${named('sum')}`)),
    strike: (times: number, fault: Fault | (() => Fault)) => {
      let struck = 0;
      const heal = world.manager.faults.add(({ method, path }) =>
        method === 'PUT' && path.includes(`/${named('sum')}`) && struck++ < times
          ? typeof fault === 'function'
            ? fault()
            : fault
          : undefined,
      );
      return () => {
        heal();
        expect(struck).toBeGreaterThan(0);
      };
    },
  };
}

describe('rules of cluster role aggregation', () => {
  it.each<[string, object]>([
    ['an expression', { matchExpressions: [{ key: 'to', operator: 'In', values: ['THIS'] }] }],
    [
      'labels and expressions together',
      { matchLabels: { to: 'THIS' }, matchExpressions: [{ key: 'no', operator: 'DoesNotExist' }] },
    ],
  ])('selects by %s', async (_what, selector) => {
    const role = rolesIn(shared());
    await role.plain('in', [get('pods')]);
    await role.plain('out', [get('nodes')], { to: `${role.id}-other` });
    await role.sum(JSON.parse(JSON.stringify(selector).replaceAll('THIS', role.id)) as object);
    await role.expectRules([get('pods')]);
  });

  it('rules that say the same are one, also when a role repeats itself', async () => {
    const role = rolesIn(shared());
    await role.plain('a', [get('pods'), get('pods')]);
    await role.plain('b', [get('pods'), { ...get('pods'), verbs: ['list'] }]);
    await role.sum();
    await role.expectRules([get('pods'), { ...get('pods'), verbs: ['list'] }]);
  });

  it('rules come as they are: names, sub-resources and paths included', async () => {
    const role = rolesIn(shared());
    const rules: PolicyRule[] = [
      { apiGroups: ['apps', ''], resources: ['pods/log'], resourceNames: ['a'], verbs: ['*'] },
      { nonResourceURLs: ['/healthz/*'], verbs: ['get'] },
    ];
    await role.plain('a', rules);
    await role.sum();
    await role.expectRules(rules);
  });

  it('a selector that selects nothing leaves no rules, and rules that were written there go', async () => {
    const role = rolesIn(shared());
    await role.sum({ matchLabels: { to: 'nobody' } });
    await role.roles.patch(role.named('sum'), 'merge', { rules: [get('secrets')] });
    await role.expectRules([]);
  });

  it('a role that comes to be labelled is taken in, a new rule of one that is in too', async () => {
    const role = rolesIn(shared());
    await role.plain('a', [get('pods')], {});
    await role.sum();
    await shared().clock.advance(MINUTE);
    expect(await role.rulesOf('sum')).toEqual([]);
    await role.roles.patch(role.named('a'), 'merge', { metadata: { labels: { to: role.id } } });
    await role.expectRules([get('pods')]);
    await role.roles.patch(role.named('a'), 'merge', { rules: [get('pods'), get('services')] });
    await role.expectRules([get('pods'), get('services')]);
  });

  it('follows a change of its own selectors', async () => {
    const role = rolesIn(shared());
    await role.plain('a', [get('pods')]);
    await role.plain('b', [get('nodes')], { to: `${role.id}-other` });
    await role.sum();
    await role.expectRules([get('pods')]);
    await role.roles.patch(role.named('sum'), 'merge', {
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { to: `${role.id}-other` } }] },
    });
    await role.expectRules([get('nodes')]);
  });

  it('a role that is aggregated no more keeps the rules it has, and nobody changes them', async () => {
    const role = rolesIn(shared());
    await role.plain('a', [get('pods')]);
    await role.sum();
    await role.expectRules([get('pods')]);
    await role.roles.patch(role.named('sum'), 'merge', { aggregationRule: null });
    const before = role.writes().length;
    await role.roles.patch(role.named('a'), 'merge', { rules: [get('nodes')] });
    await shared().clock.advance(2 * MINUTE);
    expect(await role.rulesOf('sum')).toEqual([get('pods')]);
    expect(role.writes()).toHaveLength(before);
  });

  it('a role that is being deleted is not written, and gives what it has until it is gone', async () => {
    const role = rolesIn(shared());
    await role.plain('a', [get('pods')]);
    await role.roles.patch(role.named('a'), 'merge', { metadata: { finalizers: ['example.com/hold'] } });
    await role.sum({ matchLabels: { to: role.id } }, { finalizers: ['example.com/hold'] });
    await role.expectRules([get('pods')]);
    await role.roles.delete(role.named('a'));
    await shared().clock.advance(MINUTE);
    expect(await role.rulesOf('sum')).toEqual([get('pods')]);
    await role.roles.delete(role.named('sum'));
    const before = role.writes().length;
    await role.roles.patch(role.named('a'), 'merge', { metadata: { finalizers: null } });
    await shared().clock.advance(MINUTE);
    expect(role.writes()).toHaveLength(before);
    await role.roles.patch(role.named('sum'), 'merge', { metadata: { finalizers: null } });
  });

  it('keeps what else there is of the role: labels, annotations, selectors', async () => {
    const role = rolesIn(shared());
    const metadata = { labels: { a: 'b' }, annotations: { c: 'd' } };
    await role.plain('a', [get('pods')]);
    const before = await role.sum(undefined, metadata);
    await role.expectRules([get('pods')]);
    const after = await role.roles.get(role.named('sum'));
    expect(after.metadata).toMatchObject(metadata);
    expect(after.aggregationRule).toEqual(before.aggregationRule);
  });

  it('changed in the moment it is written it is judged anew: a label given meanwhile stays', async () => {
    const role = rolesIn(shared());
    let labelled: Promise<unknown> | undefined;
    const done = role.strike(
      1,
      () =>
        (labelled ??= role.roles.patch(role.named('sum'), 'merge', {
          metadata: { labels: { given: 'now' } },
        })),
    );
    await role.plain('a', [get('pods')]);
    await role.sum();
    await role.expectRules([get('pods')]);
    expect((await role.roles.get(role.named('sum'))).metadata?.labels).toEqual({ given: 'now' });
    done();
  });

  it('one made again under the name is filled by its own selectors', async () => {
    const role = rolesIn(shared());
    await role.plain('a', [get('pods')]);
    await role.plain('b', [get('nodes')], { to: `${role.id}-other` });
    await role.sum();
    await role.expectRules([get('pods')]);
    await role.roles.delete(role.named('sum'));
    await role.sum({ matchLabels: { to: `${role.id}-other` } });
    await role.expectRules([get('nodes')]);
  });

  it.each<[string, Fault]>([
    ['fails', { status: 500, reason: 'InternalError' }],
    ['meets a conflict', { status: 409, reason: 'Conflict' }],
    ['is lost with its answer', 'unanswered'],
  ])('comes though the write at first %s', async (_what, fault) => {
    const role = rolesIn(shared());
    const done = role.strike(2, fault);
    await role.plain('a', [get('pods')]);
    await role.sum();
    await role.expectRules([get('pods')]);
    done();
  });

  it('what was revoked while no manager ran goes when one starts', async () => {
    const world = await useWorld({ controllers });
    const role = rolesIn(world);
    await role.plain('a', [get('pods')]);
    await role.sum();
    await role.expectRules([get('pods')]);
    await world.manager.stop();
    await role.roles.delete(role.named('a'));
    await world.startManager({ controllers });
    await role.expectRules([]);
  });
});
