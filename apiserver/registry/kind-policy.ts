import { SYSTEM_PRIORITY_CLASSES } from '../../api/groups/scheduling/priority-class.ts';
import type { AnyKind } from '../../api/kinds/scheme.ts';
import type { Rechecks } from '../../api/validation/metadata.ts';

/** What the real system's storage of a kind does besides the strategy (release 1.24, `pkg/registry`). */
export interface KindPolicy {
  /** A PUT to a name that does not exist creates the object. */
  readonly createOnUpdate: boolean;
  /** A PUT without `resourceVersion` overwrites whatever is there. */
  readonly unconditionalUpdate: boolean;
  /** The answer to a deletion that is done is the object, not a `Status`. */
  readonly returnsDeleted: boolean;
  /** What becomes of dependents when the client says nothing; `none`: the kind has no dependents. */
  readonly dependents: 'delete' | 'orphan' | 'none';
  /** How deletion begins. */
  readonly deletion: 'immediate' | 'pod' | 'namespace' | 'definition';
  /** Objects are deleted some time after they were last written. */
  readonly expires: boolean;
  /**
   * Nothing writes into items of lists of an object that is complete, neither defaults nor the strategy: an apply may
   * share them with the object before it.
   */
  readonly sharesItems: boolean;
  /** How often the strategy looks at the metadata of an object that is updated, besides the generic code. */
  readonly rechecks: Rechecks;
  /** The same when it is updated through a subresource. */
  readonly statusRechecks: Rechecks;
  /** Objects that nobody deletes by name, and why; a deletion of a collection takes them all the same. */
  readonly kept?: { readonly names: readonly string[]; readonly because: string };
  /** Said to who deletes without choosing a propagation policy. */
  readonly deletionWarning?: string;
}

const usual: KindPolicy = {
  createOnUpdate: false,
  unconditionalUpdate: true,
  returnsDeleted: false,
  dependents: 'delete',
  deletion: 'immediate',
  expires: false,
  sharesItems: false,
  rechecks: { whole: 1, change: 1 },
  statusRechecks: { whole: 0, change: 1 },
};

const WHOLE: Rechecks = { whole: 1, change: 0 };
const CHANGE: Rechecks = { whole: 0, change: 1 };
const WHOLE_TWICE: Rechecks = { whole: 2, change: 0 };
const WHOLE_TWICE_AND_CHANGE: Rechecks = { whole: 2, change: 1 };
const NONE: Rechecks = { whole: 0, change: 0 };

const rbac: Partial<KindPolicy> = { createOnUpdate: true, rechecks: WHOLE_TWICE_AND_CHANGE };
const returned: Partial<KindPolicy> = { returnsDeleted: true };
const changed: Partial<KindPolicy> = { rechecks: CHANGE };
const whole: Partial<KindPolicy> = { rechecks: WHOLE };
const shared: Partial<KindPolicy> = { sharesItems: true };
const conditional: Partial<KindPolicy> = { unconditionalUpdate: false };

/** By group without suffix and plural. */
const exceptions: ReadonlyMap<string, Partial<KindPolicy>> = new Map<string, Partial<KindPolicy>>([
  ['/configmaps', shared],
  ['/endpoints', { createOnUpdate: true }],
  ['/events', { createOnUpdate: true, dependents: 'none', expires: true, rechecks: NONE }],
  ['/limitranges', { createOnUpdate: true, rechecks: WHOLE }],
  ['/namespaces', { deletion: 'namespace' }],
  ['/persistentvolumeclaims', { returnsDeleted: true, rechecks: WHOLE_TWICE_AND_CHANGE }],
  ['/persistentvolumes', { returnsDeleted: true, rechecks: WHOLE_TWICE }],
  ['/pods', { returnsDeleted: true, deletion: 'pod' }],
  ['/podtemplates', { returnsDeleted: true, sharesItems: true, rechecks: CHANGE }],
  ['/replicationcontrollers', { dependents: 'orphan', sharesItems: true }],
  ['/resourcequotas', returned],
  ['/serviceaccounts', returned],
  ['/services', { createOnUpdate: true, returnsDeleted: true }],
  ['admissionregistration/mutatingwebhookconfigurations', { ...conditional, ...whole }],
  ['admissionregistration/validatingwebhookconfigurations', { ...conditional, ...whole }],
  ['apiextensions/customresourcedefinitions', { ...conditional, deletion: 'definition', rechecks: CHANGE }],
  ['apiregistration/apiservices', conditional],
  ['apps/daemonsets', shared],
  ['apps/deployments', { ...shared, ...changed }],
  ['apps/replicasets', shared],
  ['apps/statefulsets', shared],
  ['autoscaling/horizontalpodautoscalers', changed],
  ['batch/cronjobs', { ...shared, ...changed, statusRechecks: NONE }],
  [
    'batch/jobs',
    {
      dependents: 'orphan',
      sharesItems: true,
      deletionWarning:
        'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them ' +
        'or set propagationPolicy=Orphan to suppress this warning',
    },
  ],
  ['coordination/leases', { createOnUpdate: true, ...conditional, ...shared, ...changed }],
  ['discovery/endpointslices', whole],
  ['flowcontrol.apiserver/flowschemas', whole],
  ['flowcontrol.apiserver/prioritylevelconfigurations', whole],
  ['node/runtimeclasses', { createOnUpdate: true, ...conditional }],
  ['policy/poddisruptionbudgets', { ...conditional, rechecks: NONE, statusRechecks: NONE }],
  ['policy/podsecuritypolicies', changed],
  ['rbac.authorization/clusterrolebindings', rbac],
  ['rbac.authorization/clusterroles', rbac],
  ['rbac.authorization/rolebindings', rbac],
  ['rbac.authorization/roles', rbac],
  [
    'scheduling/priorityclasses',
    {
      kept: {
        names: SYSTEM_PRIORITY_CLASSES.map(({ name }) => name),
        because: 'this is a system priority class and cannot be deleted',
      },
      rechecks: CHANGE,
    },
  ],
  ['storage/csidrivers', { ...returned, ...conditional, rechecks: CHANGE }],
  ['storage/csinodes', { ...returned, ...conditional, rechecks: WHOLE_TWICE }],
  ['storage/csistoragecapacities', whole],
  ['storage/storageclasses', returned],
  ['storage/volumeattachments', { ...returned, ...conditional, rechecks: WHOLE_TWICE }],
]);

export const policyOf = (kind: Pick<AnyKind, 'group' | 'plural' | 'schema'>): KindPolicy => ({
  ...usual,
  // Of a custom resource.
  ...(kind.schema.root && { ...conditional, ...changed }),
  ...exceptions.get(`${kind.group}/${kind.plural}`),
});
