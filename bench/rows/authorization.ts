import { type ApiObject, type DeepReadonly, keyOf } from '../../api/kinds/index.ts';
import type { ClusterRole, ClusterRoleBinding } from '../../api/types/rbac-v1.ts';
import { vocabularyOf } from '../../api/vocabulary/index.ts';
import {
  createNodeAuthorizer,
  createNodeGraph,
  createRbacAuthorizer,
} from '../../apiserver/authorization/index.ts';
import { nodeRules } from '../../apiserver/bootstrap/index.ts';
import type { ObjectReader } from '../../apiserver/registry/index.ts';
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

/**
 * Returns a function that measures RBAC decisions. Every user has two bindings, far apart in the list of
 * bindings.
 */
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

const PODS_A_NODE = 30;

/**
 * Returns a function that measures decisions of the node authorizer. Each pod has a Secret, and a claim whose
 * volume needs another Secret for its mount. The requests alternate between both Secrets.
 */
function cluster(nodeCount: number): (asks: number) => Promise<number> {
  const vocabulary = vocabularyOf('orch');
  const count = nodeCount * PODS_A_NODE;
  const each = <T>(make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
  const authorizer = createNodeAuthorizer({
    graph: createNodeGraph(
      {
        pods: readerOf(
          each((at) => ({
            metadata: { namespace: 'default', name: `pod-${at}` },
            spec: {
              nodeName: `node-${at % nodeCount}`,
              containers: [{ name: 'c' }],
              volumes: [
                { name: 's', secret: { secretName: `secret-${at}` } },
                { name: 'd', persistentVolumeClaim: { claimName: `claim-${at}` } },
              ],
            },
          })),
        ),
        persistentVolumes: readerOf(
          each((at) => ({
            metadata: { name: `volume-${at}` },
            spec: {
              claimRef: { namespace: 'default', name: `claim-${at}` },
              csi: {
                driver: 'd',
                volumeHandle: 'h',
                nodePublishSecretRef: { namespace: 'default', name: `mount-${at}` },
              },
            },
          })),
        ),
        volumeAttachments: readerOf([]),
      },
      vocabulary.key('', 'config.mirror'),
    ),
    rules: nodeRules(vocabulary),
    vocabulary,
  });
  const asked = (at: number): Attributes => ({
    user: {
      username: `system:node:node-${at % nodeCount}`,
      groups: ['system:nodes', 'system:authenticated'],
    },
    verb: 'get',
    isResourceRequest: true,
    path: '',
    group: '',
    version: 'v1',
    resource: 'secrets',
    subresource: '',
    namespace: 'default',
    name: `${at % 2 === 0 ? 'secret' : 'mount'}-${at % count}`,
  });
  return async (asks) => {
    const took = await timed(async () => {
      for (let at = 0; at < asks; at++) await authorizer.authorize(asked(at));
    });
    return (took * 1_000) / asks;
  };
}

/**
 * Compares a decision in a large cluster with a decision in a small cluster, for RBAC and for the node
 * authorizer.
 */
export const authorizationRow: Row = {
  name: 'authorization',
  async measure(scale) {
    const [asks, rounds] = scale === 'full' ? [200_000, 5] : [20_000, 3];
    const compare = (many: (asks: number) => Promise<number>, few: (asks: number) => Promise<number>) =>
      alternate(
        { warmUp: 1, counted: rounds },
        () => many(asks),
        () => few(asks),
      );
    return [
      toFigure(
        'decision, 1000 roles and 5000 bindings',
        'µs',
        await compare(policy(1_000, 5_000), policy(1, 2)),
        { ratioAtMost: 5 },
      ),
      // The additional time in a large cluster is memory access: the tables exceed the CPU caches.
      toFigure('decision, 1000 nodes with 30 pods each', 'µs', await compare(cluster(1_000), cluster(2)), {
        ratioAtMost: 8,
      }),
    ];
  },
};
