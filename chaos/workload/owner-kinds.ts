import { builtinKinds } from '../../api/groups/index.ts';
import type { AnyKind } from '../../api/kinds/index.ts';
import { resourceOf } from '../invariants/invariant.ts';
import { podTemplate } from './batch.ts';
import { neededByControllers } from './needed-resources.ts';
import type { Making } from './parts.ts';

const CONTAINERS = [{ name: 'c', image: 'i' }];
const LABELS = { app: 'a' };
const SELECTOR = { matchLabels: LABELS };
const TEMPLATE = { metadata: { labels: LABELS }, spec: { containers: CONTAINERS } };
const ROLE = { kind: 'ClusterRole', name: 'view' };
const STORAGE = { storage: '1Gi' };
const JOB = { suspend: true, template: podTemplate(20) };
const SCALED = { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' };

/**
 * Required fields of kinds whose objects have owners and dependents, by resource. Most of these kinds have no
 * controller in a run, so only the garbage collector reads them.
 */
const REQUIRED: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  '/configmaps': {},
  '/persistentvolumeclaims': { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: STORAGE } } },
  '/persistentvolumes': {
    spec: { capacity: STORAGE, accessModes: ['ReadWriteOnce'], hostPath: { path: '/tmp/owner' } },
  },
  '/pods': { spec: { restartPolicy: 'Never', containers: CONTAINERS } },
  '/podtemplates': { template: TEMPLATE },
  '/replicationcontrollers': { spec: { selector: LABELS, template: TEMPLATE } },
  '/secrets': {},
  '/serviceaccounts': {},
  '/services': { spec: { ports: [{ port: 80 }], selector: LABELS } },
  'apps/daemonsets': { spec: { selector: SELECTOR, template: TEMPLATE } },
  'apps/deployments': { spec: { selector: SELECTOR, template: TEMPLATE } },
  'apps/replicasets': { spec: { selector: SELECTOR, template: TEMPLATE } },
  'apps/statefulsets': { spec: { selector: SELECTOR, template: TEMPLATE, serviceName: 's' } },
  'autoscaling/horizontalpodautoscalers': { spec: { scaleTargetRef: SCALED, maxReplicas: 2 } },
  // Suspended, so that the CronJob creates no Jobs.
  'batch/cronjobs': { spec: { schedule: '0 0 1 1 *', suspend: true, jobTemplate: { spec: JOB } } },
  'batch/jobs': { spec: JOB },
  'discovery/endpointslices': { addressType: 'IPv4', endpoints: [], ports: [] },
  'networking/networkpolicies': { spec: { podSelector: {} } },
  'policy/poddisruptionbudgets': { spec: { minAvailable: 1, selector: SELECTOR } },
  'rbac.authorization/clusterroles': { rules: [] },
  'rbac.authorization/rolebindings': { roleRef: ROLE, subjects: [] },
  'rbac.authorization/roles': { rules: [] },
};

/** Kind of objects that can be owners and dependents. */
export interface OwnerKind {
  readonly resource: string;
  readonly namespaced: boolean;
  readonly base: Readonly<Record<string, unknown>>;
}

const kindOf = (resource: string): AnyKind | undefined =>
  builtinKinds.find((kind) => resourceOf(kind) === resource);

/** All owner kinds: every kind that a controller reads, and some that no controller reads. */
export const ownerKinds: readonly OwnerKind[] = Object.entries(REQUIRED).map(([resource, base]) => ({
  resource,
  namespaced: kindOf(resource)?.namespaced ?? true,
  base,
}));

/**
 * Owner kinds as options of a draw. Kinds that every run serves are listed twice more, because each other
 * kind costs the garbage collector a watch.
 */
const served = ownerKinds.filter(({ resource }) => neededByControllers.includes(resource));
export const likelyOwners: readonly OwnerKind[] = [...served, ...served, ...ownerKinds];
export const namespacedKinds: readonly OwnerKind[] = likelyOwners.filter(({ namespaced }) => namespaced);

/** Draws one of several owner kinds. */
export function drawKind({ draw }: Making, choice: string, kinds: readonly OwnerKind[]): OwnerKind {
  const names = kinds.map(({ resource }) => resource);
  const resource = draw.one(choice, names);
  return kinds[names.indexOf(resource)] as OwnerKind;
}
