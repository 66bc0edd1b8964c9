import {
  collection,
  core,
  fill,
  LIST_BYTES,
  listed,
  mapOf,
  namespace,
  OBJECTS,
  pod,
  post,
  type RequestCase,
  several,
} from './request-case.ts';

const container = (at: number): object => ({ name: `c${at}`, image: 'i' });

const one = [container(0)];

const enforce = { labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } };

const warn = {
  labels: {
    'pod-security.kubernetes.io/warn': 'restricted',
    'pod-security.kubernetes.io/audit': 'baseline',
  },
};

const forbidden = (at: number): object => ({
  ...container(at),
  ports: [{ containerPort: 1, hostPort: at + 1 }],
  securityContext: { privileged: true, capabilities: { add: ['A', 'B'] } },
});

const toleration = (at: number): object => ({
  key: `k${at}`,
  operator: 'Equal',
  value: 'v',
  effect: 'NoSchedule',
});

const quota = (at: number): readonly [string, object] => [
  'resourcequotas',
  {
    metadata: { name: `q${at}` },
    spec: { hard: Object.fromEntries(listed(200).map((each) => [`requests.a.b/r${each}`, '1000000'])) },
  },
];

/** Requests that are expensive to admit. */
export const admission: readonly RequestCase[] = [
  {
    what: 'owner references that block deletion',
    request: () =>
      post(`${core}/default/configmaps`, {
        metadata: {
          name: 'a',
          ownerReferences: fill((at) => ({
            apiVersion: 'v1',
            kind: 'ConfigMap',
            name: `o${at}`,
            uid: `u${at}`,
            blockOwnerDeletion: true,
          })),
        },
      }),
  },
  {
    what: 'containers that a pod security level forbids',
    prepare: namespace('enforced', enforce),
    request: () => pod({ containers: fill(forbidden, LIST_BYTES) }, 'enforced'),
  },
  {
    what: 'containers that a pod security level warns about',
    prepare: namespace('warned', warn),
    request: () => pod({ containers: fill(forbidden, LIST_BYTES) }, 'warned'),
  },
  {
    what: 'volumes that a pod security level forbids',
    prepare: namespace('volumes', enforce),
    request: () =>
      pod(
        {
          containers: one,
          volumes: fill((at) => ({ name: `v${at}`, hostPath: { path: '/a' } }), LIST_BYTES),
        },
        'volumes',
      ),
  },
  {
    what: 'a stricter level for a namespace with pods',
    prepare: several(
      namespace('stricter'),
      collection(`${core}/stricter/pods`, OBJECTS, () => ({
        spec: { containers: listed(20).map(forbidden) },
      })),
    ),
    request: () => ({
      method: 'PATCH',
      path: `${core}/stricter?dryRun=All`,
      contentType: 'application/merge-patch+json',
      body: JSON.stringify({ metadata: enforce }),
    }),
  },
  {
    what: 'bounds of a limit range',
    prepare: namespace('limited', {}, [
      'limitranges',
      {
        metadata: { name: 'l' },
        spec: {
          limits: [
            { type: 'Container', max: Object.fromEntries(listed(2_000).map((at) => [`a.b/r${at}`, '5'])) },
            { type: 'Pod', max: Object.fromEntries(listed(2_000).map((at) => [`a.b/r${at}`, '5'])) },
          ],
        },
      },
    ]),
    request: () => pod({ containers: fill(container, LIST_BYTES) }, 'limited'),
  },
  {
    what: 'quotas of a namespace',
    prepare: namespace('quoted', {}, ...listed(100).map(quota)),
    request: () =>
      pod(
        {
          containers: fill(
            (at) => ({
              ...container(at),
              resources: {
                requests: { [`a.b/r${at % 200}`]: '1' },
                limits: { [`a.b/r${at % 200}`]: '1' },
              },
            }),
            LIST_BYTES,
          ),
        },
        'quoted',
      ),
  },
  {
    what: 'labels that a node sets on itself',
    prepare: ({ prepare }) => prepare('POST', '/api/v1/nodes', { metadata: { name: 'n' } }),
    request: () => ({
      method: 'PATCH',
      path: '/api/v1/nodes/n?dryRun=All',
      contentType: 'application/merge-patch+json',
      user: 'node',
      body: JSON.stringify({ metadata: { labels: mapOf((at) => [`kubernetes.io/l${at}`, 'v']) } }),
    }),
  },
  {
    what: 'tolerations next to those of the namespace',
    prepare: namespace('tolerated', {
      annotations: {
        'scheduler.alpha.kubernetes.io/defaultTolerations': JSON.stringify(fill(toleration, 200_000)),
      },
    }),
    request: () =>
      pod({ containers: one, tolerations: fill((at) => toleration(-at), LIST_BYTES) }, 'tolerated'),
  },
  {
    what: 'tolerations that a namespace allows',
    prepare: namespace('allowed', {
      annotations: {
        'scheduler.alpha.kubernetes.io/tolerationsWhitelist': JSON.stringify(fill(toleration, 200_000)),
      },
    }),
    request: () =>
      pod({ containers: one, tolerations: fill((at) => toleration(-at), LIST_BYTES) }, 'allowed'),
  },
  {
    what: 'extended resources and tolerations',
    request: () =>
      pod({
        containers: [
          {
            ...container(0),
            resources: {
              requests: mapOf((at) => [`a.b/r${at}`, '1'], LIST_BYTES / 4),
              limits: mapOf((at) => [`a.b/r${at}`, '1'], LIST_BYTES / 4),
            },
          },
        ],
        tolerations: fill(toleration, LIST_BYTES / 4),
      }),
  },
  {
    what: 'secrets that a pod mounts but its account does not list',
    prepare: async (server) => {
      await namespace('mounting')(server);
      await server.prepare('POST', `${core}/mounting/serviceaccounts`, {
        metadata: { name: 'picky', annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } },
        secrets: fill((at) => ({ name: `s${at}` }), 200_000),
      });
    },
    request: () =>
      pod(
        {
          serviceAccountName: 'picky',
          containers: one,
          volumes: fill((at) => ({ name: `v${at}`, secret: { secretName: `s${at}` } }), LIST_BYTES),
        },
        'mounting',
      ),
  },
  {
    what: 'images that a webhook reviews',
    request: () => pod({ containers: fill((at) => ({ name: `c${at}`, image: `image-${at}` }), LIST_BYTES) }),
  },
];
