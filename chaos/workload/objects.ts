import type { Action } from '../world/user.ts';
import { SECOND, type Part, TEAM, create, later, oneOf, once, patch, remove, sometime } from './parts.ts';

const CONFIG_MAPS = '/configmaps';

/** Objects with owners that are deleted under each policy, possibly while dependents are created. */
const family: Part = (making) => {
  const { random } = making;
  const bornMs = sometime(making);
  const goneMs = later(making, bornMs);
  const owned = (name: string, owners: readonly string[], atMs: number): Action => ({
    ...create(atMs, CONFIG_MAPS, TEAM, name),
    owners: owners.map((owner) => ({ resource: CONFIG_MAPS, name: owner, block: once(random, 2) })),
  });
  return [
    create(bornMs, CONFIG_MAPS, TEAM, 'owner-1'),
    create(bornMs, CONFIG_MAPS, TEAM, 'owner-2'),
    owned('child-1', ['owner-1'], bornMs + SECOND),
    owned('child-2', ['owner-1', 'owner-2'], bornMs + SECOND),
    owned('grandchild', ['child-1'], bornMs + 2 * SECOND),
    ...(once(random, 2) ? [owned('late-child', ['owner-1'], goneMs + oneOf(random, [-50, 50]))] : []),
    ...(once(random, 4) ? [owned('stray', ['nobody'], sometime(making))] : []),
    remove(goneMs, CONFIG_MAPS, TEAM, 'owner-1', oneOf(random, ['Background', 'Foreground', 'Orphan'])),
    ...(once(random, 3) ? [create(goneMs + oneOf(random, [20, 2_000]), CONFIG_MAPS, TEAM, 'owner-1')] : []),
    ...(once(random, 3) ? [remove(later(making, goneMs), CONFIG_MAPS, TEAM, 'owner-2', 'Foreground')] : []),
  ];
};

/** Objects that block each other or themselves; all must be deleted in the foreground. */
const cycle: Part = (making) => {
  const { random } = making;
  const bornMs = sometime(making);
  const goneMs = later(making, bornMs + SECOND);
  const names = ['round-1', 'round-2', 'round-3'].slice(0, 1 + random.int(3));
  return names.flatMap((name, i) => [
    create(bornMs, CONFIG_MAPS, TEAM, name),
    {
      ...patch(bornMs + SECOND, CONFIG_MAPS, TEAM, name, {}),
      owners: [{ resource: CONFIG_MAPS, name: names[(i + 1) % names.length] ?? '', block: true }],
    },
    ...(i === 0 || once(random, 2) ? [remove(goneMs, CONFIG_MAPS, TEAM, name, 'Foreground')] : []),
  ]);
};

export const ownedObjects: Part = (making) => [
  ...family(making),
  ...(once(making.random, 4) ? cycle(making) : []),
];

/**
 * Part: a namespace that is deleted with content, some of it held by a finalizer for a while, and recreated.
 */
export const endingNamespace: Part = (making) => {
  const { random } = making;
  const bornMs = sometime(making);
  const goneMs = later(making, bornMs + 5 * SECOND);
  const kept = once(random, 2);
  return [
    create(bornMs, '/namespaces', '', 'doomed'),
    create(bornMs + SECOND, CONFIG_MAPS, 'doomed', 'content', {
      metadata: kept ? { finalizers: ['example.com/kept'] } : {},
    }),
    create(bornMs + SECOND, '/secrets', 'doomed', 'content'),
    remove(goneMs, '/namespaces', '', 'doomed'),
    create(goneMs + oneOf(random, [10, 500]), CONFIG_MAPS, 'doomed', 'too-late'),
    ...(kept
      ? [patch(goneMs + 90 * SECOND, CONFIG_MAPS, 'doomed', 'content', { metadata: { finalizers: null } })]
      : []),
    ...(once(random, 2) ? [create(goneMs + 150 * SECOND, '/namespaces', '', 'doomed')] : []),
  ];
};

/** Part: a quota and objects that count towards it. */
export const quotas: Part = (making) => {
  const { random } = making;
  const bornMs = sometime(making);
  return [
    create(bornMs, '/resourcequotas', TEAM, 'few', {
      spec: { hard: { 'count/configmaps': '40', secrets: '40' } },
    }),
    ...(once(random, 2)
      ? [
          patch(later(making, bornMs), '/resourcequotas', TEAM, 'few', {
            spec: { hard: { 'count/configmaps': '50' } },
          }),
        ]
      : []),
    ...Array.from({ length: random.int(3) }, (_, i) =>
      create(later(making, bornMs), CONFIG_MAPS, TEAM, `counted-${i}`),
    ),
  ];
};

/** Part: a claim used by a pod and a bound volume, which may be deleted while in use. */
export const volumes: Part = (making) => {
  const { random } = making;
  const bornMs = sometime(making);
  const goneMs = later(making, bornMs + SECOND);
  const freeMs = later(making, goneMs);
  const isDeleted = !once(random, 4);
  const isBound = once(random, 2);
  const phase = (atMs: number, name: 'Bound' | 'Released'): Action => ({
    ...patch(atMs, '/persistentvolumes', '', 'disk', { status: { phase: name } }),
    subresource: 'status',
  });
  return [
    create(bornMs, '/persistentvolumeclaims', TEAM, 'data', {
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    }),
    create(bornMs + oneOf(random, [0, 500]), '/pods', TEAM, 'user', {
      metadata: { annotations: { 'chaos/runs': String(oneOf(random, [30, 300]) * SECOND) } },
      spec: {
        ...(once(random, 2) && { nodeName: 'n1' }),
        restartPolicy: 'Never',
        containers: [{ name: 'c', image: 'i' }],
        volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }],
      },
    }),
    create(bornMs, '/persistentvolumes', '', 'disk', {
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        hostPath: { path: '/tmp/disk' },
      },
    }),
    ...(isBound ? [phase(bornMs + SECOND, 'Bound'), phase(freeMs, 'Released')] : []),
    ...(isDeleted
      ? [
          remove(goneMs, '/persistentvolumeclaims', TEAM, 'data'),
          remove(goneMs, '/persistentvolumes', '', 'disk'),
          remove(freeMs, '/pods', TEAM, 'user'),
        ]
      : []),
  ];
};
