import type { ApiObject, DeepReadonly } from '../../api/kinds/kind.ts';
import { keyOf } from '../../api/kinds/scheme.ts';
import type { ClusterRole, ClusterRoleBinding } from '../../api/types/rbac-v1.ts';
import { vocabularyOf } from '../../api/vocabulary/vocabulary.ts';
import { createRbacAuthorizer } from '../../apiserver/authorization/rbac.ts';
import type { ObjectReader } from '../../apiserver/registry/registry.ts';
import type { Attributes } from '../../apiserver/request.ts';
import { type Row, alternate, timed, toFigure } from '../row.ts';

function readerOf<T extends ApiObject>(objects: readonly T[]): ObjectReader<T> {
  const held = new Map(objects.map((object) => [keyOf(object), object as DeepReadonly<T>]));
  return {
    get: (namespace, name) => held.get(namespace === '' ? name : `${namespace}/${name}`),
    list: () => [...held.values()],
    subscribe(onChange) {
      for (const object of held.values()) onChange(object, undefined);
      return () => {};
    },
    live: async () => undefined,
  };
}

/** Every user is bound twice, by bindings that lie far apart. */
function policy(roleCount: number, bindingCount: number): (asks: number) => Promise<number> {
  const vocabulary = vocabularyOf('orch');
  const users = Math.max(1, bindingCount / 2);
  const authorizer = createRbacAuthorizer(
    {
      roles: readerOf([]),
      roleBindings: readerOf([]),
      clusterRoles: readerOf<ClusterRole>(
        Array.from({ length: roleCount }, (_, at) => ({
          metadata: { name: `role-${at}` },
          rules: [
            { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods', 'secrets'] },
            { verbs: ['*'], apiGroups: ['batch'], resources: ['jobs', 'jobs/status'] },
          ],
        })),
      ),
      clusterRoleBindings: readerOf<ClusterRoleBinding>(
        Array.from({ length: bindingCount }, (_, at) => ({
          metadata: { name: `binding-${at}` },
          roleRef: {
            apiGroup: vocabulary.group('rbac.authorization'),
            kind: 'ClusterRole',
            name: `role-${at % roleCount}`,
          },
          subjects: [{ kind: 'User', name: `user-${at % users}` }],
        })),
      ),
    },
    vocabulary,
  );
  const asked = (at: number): Attributes => ({
    user: { username: `user-${at % users}`, groups: ['developers', 'system:authenticated'] },
    verb: 'delete',
    isResourceRequest: true,
    path: '',
    group: 'batch',
    version: 'v1',
    resource: 'jobs',
    subresource: '',
    namespace: 'default',
    name: '',
  });
  return async (asks) => {
    const took = await timed(async () => {
      for (let at = 0; at < asks; at++) await authorizer.authorize(asked(at));
    });
    return (took * 1_000) / asks;
  };
}

/** One decision among many roles and bindings, beside one where there are no others. */
export const authorizationRow: Row = {
  name: 'authorization',
  async measure(scale) {
    const [asks, rounds] = scale === 'full' ? [200_000, 5] : [20_000, 3];
    const many = policy(1_000, 5_000);
    const few = policy(1, 2);
    const samples = await alternate(
      { warmUp: 1, counted: rounds },
      () => many(asks),
      () => few(asks),
    );
    return [toFigure('decision, 1000 roles and 5000 bindings', 'µs', samples, { ratioAtMost: 5 })];
  },
};
