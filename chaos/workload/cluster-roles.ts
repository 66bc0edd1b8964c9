import type { Action } from '../world/user.ts';
import { type Part, create, later, oneOf, once, patch, remove, sometime } from './parts.ts';

export const ROLES = 'rbac.authorization/clusterroles';
export const rule = (resource: string) => ({ apiGroups: [''], resources: [resource], verbs: ['get'] });

/** Part: aggregated roles in chains and cycles, with labels and rules that change. */
export const aggregatedRoles: Part = (making) => {
  const { random } = making;
  const role = (name: string, labels: Readonly<Record<string, string>>, resource: string): Action =>
    create(sometime(making), ROLES, '', name, { metadata: { labels }, rules: [rule(resource)] });
  const union = (name: string, selects: string, labels: Readonly<Record<string, string>>): Action =>
    create(sometime(making), ROLES, '', name, {
      metadata: { labels },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [selects]: 'yes' } }] },
      rules: [],
    });
  const lateMs = later(making, sometime(making));
  return [
    role('source-1', { a: 'yes' }, 'pods'),
    role('source-2', { a: 'yes', b: 'yes' }, 'nodes'),
    // If both select each other, revoked rules must not survive in the cycle.
    union('union-1', 'a', once(random, 2) ? { b: 'yes' } : {}),
    union('union-2', 'b', once(random, 2) ? { a: 'yes' } : {}),
    ...oneOf(random, [
      [],
      [remove(lateMs, ROLES, '', 'source-1')],
      [patch(lateMs, ROLES, '', 'source-2', { metadata: { labels: { a: null } } })],
      [patch(lateMs, ROLES, '', 'source-1', { rules: [rule('secrets')] })],
    ]),
  ];
};
