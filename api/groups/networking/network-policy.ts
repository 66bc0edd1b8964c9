import { ageColumn, column, nameColumn } from '../../kinds/columns.ts';
import type { Column, Strategy } from '../../kinds/kind.ts';
import type { NetworkPolicy } from '../../types/networking-v1.ts';
import { selectorText } from '../../validation/label-selector.ts';
import { validateNetworkPolicy } from '../../validation/network/network-policy.ts';

/** Strategy of NetworkPolicies. */
export const networkPolicyStrategy: Strategy<NetworkPolicy> = {
  defaults({ spec }) {
    if (spec === undefined) return;
    const { ingress = [], egress = [] } = spec;
    for (const { ports = [] } of [...ingress, ...egress]) for (const port of ports) port.protocol ||= 'TCP';
    if ((spec.policyTypes ?? []).length === 0)
      spec.policyTypes = egress.length === 0 ? ['Ingress'] : ['Ingress', 'Egress'];
  },
  // In release 1.24 the feature gate for the status of NetworkPolicies is off.
  prepareForCreate(next) {
    next.status = {};
  },
  prepareForUpdate(next) {
    next.status = {};
  },
  validate: validateNetworkPolicy,
  validatesChangeToo: true,
};

/** Table columns of NetworkPolicies. */
export const networkPolicyColumns: readonly Column<NetworkPolicy>[] = [
  nameColumn,
  column<NetworkPolicy>(
    'Pod-Selector',
    ({ spec }) => selectorText(spec?.podSelector),
    'Selects the pods to which this NetworkPolicy object applies.  The array of ingress rules is applied to any pods selected by this field. Multiple network policies can select the same set of pods.  In this case, the ingress rules for each are combined additively. This field is NOT optional and follows standard label selector semantics. An empty podSelector matches all pods in this namespace.',
  ),
  ageColumn,
];
