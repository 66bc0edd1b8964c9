import { SYSTEM_PRIORITY_CLASSES } from '../../api/groups/scheduling/priority-class.ts';
import type { AnyKind } from '../../api/kinds/scheme.ts';

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
};

const rbac: Partial<KindPolicy> = { createOnUpdate: true };
const returned: Partial<KindPolicy> = { returnsDeleted: true };
const shared: Partial<KindPolicy> = { sharesItems: true };
const conditional: Partial<KindPolicy> = { unconditionalUpdate: false };

/** By group without suffix and plural. */
const exceptions: ReadonlyMap<string, Partial<KindPolicy>> = new Map<string, Partial<KindPolicy>>([
  ['/configmaps', shared],
  ['/endpoints', { createOnUpdate: true }],
  ['/events', { createOnUpdate: true, dependents: 'none', expires: true }],
  ['/limitranges', { createOnUpdate: true }],
  ['/namespaces', { deletion: 'namespace' }],
  ['/persistentvolumeclaims', returned],
  ['/persistentvolumes', returned],
  ['/pods', { returnsDeleted: true, deletion: 'pod' }],
  ['/podtemplates', { createOnUpdate: true, returnsDeleted: true, sharesItems: true }],
  ['/replicationcontrollers', { dependents: 'orphan', sharesItems: true }],
  ['/resourcequotas', returned],
  ['/serviceaccounts', returned],
  ['/services', { createOnUpdate: true, returnsDeleted: true }],
  ['admissionregistration/mutatingwebhookconfigurations', conditional],
  ['admissionregistration/validatingwebhookconfigurations', conditional],
  ['apiextensions/customresourcedefinitions', { unconditionalUpdate: false, deletion: 'definition' }],
  ['apiregistration/apiservices', conditional],
  ['apps/daemonsets', shared],
  ['apps/deployments', shared],
  ['apps/replicasets', shared],
  ['apps/statefulsets', shared],
  ['batch/cronjobs', shared],
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
  ['coordination/leases', { createOnUpdate: true, unconditionalUpdate: false, sharesItems: true }],
  ['node/runtimeclasses', conditional],
  ['policy/poddisruptionbudgets', conditional],
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
    },
  ],
  ['storage/csidrivers', { returnsDeleted: true, unconditionalUpdate: false }],
  ['storage/csinodes', { returnsDeleted: true, unconditionalUpdate: false }],
  ['storage/storageclasses', returned],
  ['storage/volumeattachments', { returnsDeleted: true, unconditionalUpdate: false }],
]);

export const policyOf = (kind: Pick<AnyKind, 'group' | 'plural' | 'schema'>): KindPolicy => ({
  ...usual,
  // Of a custom resource.
  ...(kind.schema.root && conditional),
  ...exceptions.get(`${kind.group}/${kind.plural}`),
});
