import type { Action } from '../world/user.ts';
import { lifeOf } from './life.ts';
import { type Making, type Part, SECOND, TEAM, later, patch, sometime } from './parts.ts';
import type { MoveName, Subject } from './subject.ts';

const CLAIMS = '/persistentvolumeclaims';
const VOLUMES = '/persistentvolumes';
const MOVES: readonly MoveName[] = ['touch', 'delete', 'delete', 'replace', 'withdraw'];

export const claimNamed = (_making: Making, name: string): Subject => ({
  resource: CLAIMS,
  namespace: TEAM,
  name,
  base: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
  moves: MOVES,
  moveCounts: [0, 1, 1, 2],
});

export const volumeNamed = (_making: Making, name: string): Subject => ({
  resource: VOLUMES,
  namespace: '',
  name,
  base: {
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      hostPath: { path: `/tmp/${name}` },
    },
  },
  moves: MOVES,
  moveCounts: [0, 1, 1, 2],
});

/** Returns a pod that uses a claim. `node` is the pod's node; undefined if the pod is not scheduled. */
export const podUsing = (name: string, claim: string, seconds: number, node?: string): Subject => ({
  resource: '/pods',
  namespace: TEAM,
  name,
  base: {
    metadata: { annotations: { 'chaos/runs': String(seconds * SECOND) } },
    spec: {
      ...(node !== undefined && { nodeName: node }),
      restartPolicy: 'Never',
      containers: [{ name: 'c', image: 'i' }],
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: claim } }],
    },
  },
  moves: MOVES,
});

/** Returns a change of a volume's phase, as the volume binder makes it. */
export const phaseOf = (atMs: number, name: string, phase: 'Bound' | 'Released'): Action =>
  patch(atMs, VOLUMES, '', name, { status: { phase } }, 'status');

/**
 * Returns actions on a claim that pods use, and on a volume that is bound for a while. Both may be deleted
 * and recreated.
 */
export const volumes: Part = (making) => {
  const { draw } = making;
  const bornMs = sometime(making);
  const users = draw.one('pods of a claim', [['user'], ['user'], [], ['user', 'user-2']]);
  const phases = draw.once('bound volume', 2)
    ? [phaseOf(bornMs + SECOND, 'disk', 'Bound'), phaseOf(later(making, bornMs + SECOND), 'disk', 'Released')]
    : [];
  return [
    ...lifeOf(making, claimNamed(making, 'data'), { bornMs }),
    ...users.flatMap((name) => {
      const node = draw.once('pod on a node', 2) ? 'n1' : undefined;
      const seconds = draw.one('pod runs', [30, 300]);
      return lifeOf(making, podUsing(name, 'data', seconds, node), {
        bornMs: bornMs + draw.one('pod after its claim', [0, 500]),
      });
    }),
    ...lifeOf(making, volumeNamed(making, 'disk'), { bornMs }),
    ...phases,
  ];
};
