import { describe, expect, it } from 'vitest';
import { clusterRoles } from '../../api/groups/rbac-v1.ts';
import type { PolicyRule } from '../../api/types/rbac-v1.ts';
import type { Fault } from '../../test/world/faults.ts';
import { shareWorld, useWorld } from '../../test/world/use-world.ts';
import type { World } from '../../test/world/world.ts';
import { injectFirst } from '../first-requests.fixture.ts';

const MINUTE = 60_000;
const controllers = ['clusterrole-aggregation'];
const shared = shareWorld({ controllers });
let count = 0;

const get = (resource: string): PolicyRule => ({ apiGroups: [''], resources: [resource], verbs: ['get'] });

/** Returns a client for roles with names and labels unique to one test. */
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
    inject: (times: number, fault: Fault | (() => Fault)) =>
      injectFirst(world.manager, { verb: 'PUT', path: `/${named('sum')}`, times }, fault),
  };
}

describe('rules of an aggregated ClusterRole', () => {
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

  it('contain equal rules of several roles, or of one role, once', async () => {
    const role = rolesIn(shared());
    await role.plain('a', [get('pods'), get('pods')]);
    await role.plain('b', [get('pods'), { ...get('pods'), verbs: ['list'] }]);
    await role.sum();
    await role.expectRules([get('pods'), { ...get('pods'), verbs: ['list'] }]);
  });

  it('contain the resource names, subresources and URL paths of a source rule unchanged', async () => {
    const role = rolesIn(shared());
    const rules: PolicyRule[] = [
      { apiGroups: ['apps', ''], resources: ['pods/log'], resourceNames: ['a'], verbs: ['*'] },
      { nonResourceURLs: ['/healthz/*'], verbs: ['get'] },
    ];
    await role.plain('a', rules);
    await role.sum();
    await role.expectRules(rules);
  });

  it('are all removed, including rules written by a user, if the selector matches no role', async () => {
    const role = rolesIn(shared());
    await role.sum({ matchLabels: { to: 'nobody' } });
    await role.roles.patch(role.named('sum'), 'merge', { rules: [get('secrets')] });
    await role.expectRules([]);
  });

  it('gain the rules of a role that gets the label, and a rule that is added to a selected role', async () => {
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

  it('change after the selectors change', async () => {
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

  it('stay unchanged after the aggregation rule is removed', async () => {
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

  it('are not written while the role is being deleted, and stay aggregated into other roles until it is deleted', async () => {
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

  it("are written without a change of the role's labels, annotations and selectors", async () => {
    const role = rolesIn(shared());
    const metadata = { labels: { a: 'b' }, annotations: { c: 'd' } };
    await role.plain('a', [get('pods')]);
    const before = await role.sum(undefined, metadata);
    await role.expectRules([get('pods')]);
    const after = await role.roles.get(role.named('sum'));
    expect(after.metadata).toMatchObject(metadata);
    expect(after.aggregationRule).toEqual(before.aggregationRule);
  });

  it('are written again if a user adds a label during the write, which is kept', async () => {
    const role = rolesIn(shared());
    let labelled: Promise<unknown> | undefined;
    const done = role.inject(
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

  it('follow the new selectors if the role is re-created under the same name', async () => {
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
    ['gets no response', 'unanswered'],
  ])('are written even if the first write %s', async (_what, fault) => {
    const role = rolesIn(shared());
    const done = role.inject(2, fault);
    await role.plain('a', [get('pods')]);
    await role.sum();
    await role.expectRules([get('pods')]);
    done();
  });

  it('no longer contain rules that were revoked while no manager ran, once one starts', async () => {
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
