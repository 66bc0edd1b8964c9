import { carryOver, sameValue } from '../../kinds/carry-over.ts';
import { ageColumn, column, nameColumn, orNone, wideColumn } from '../../kinds/columns.ts';
import type { Column, DeepReadonly, ObjectSubresource, Strategy } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  fieldError,
  child,
  duplicateField,
  forbiddenField,
  index,
} from '../../status/field-errors.ts';
import type { Node } from '../../types/core-v1-node.ts';
import { validateTaints } from '../../validation/pod/taints.ts';
import { isCidr } from '../../validation/names.ts';
import {
  duplicateLiteral,
  goString,
  goStrings,
  goStruct,
  invalidLiteral,
} from '../../validation/go-text/values.ts';
import { validateResourceAmount } from '../../validation/resources.ts';

type Frozen = DeepReadonly<Node>;

/** Strategy of Nodes. */
export const nodeStrategy: Strategy<Node> = {
  defaults(node) {
    if (node.status?.capacity && node.status.allocatable === undefined) {
      node.status.allocatable = { ...node.status.capacity };
    }
    const [first] = node.spec?.podCIDRs ?? [];
    // If the two fields differ, the older field wins.
    if (node.spec?.podCIDR && node.spec.podCIDR !== first) node.spec.podCIDRs = [node.spec.podCIDR];
    else if (node.spec && first !== undefined) node.spec.podCIDR = first;
  },
  prepareForCreate: forgetConfigSource,
  prepareForUpdate(next, previous) {
    carryOver(next, previous, 'status');
    if (previous.spec?.configSource === undefined) forgetConfigSource(next);
  },
  // Upstream's error paths of taints begin with `metadata`.
  validate: (next) => [
    ...validateTaints(next.spec?.taints ?? [], 'metadata.taints'),
    ...validateAmounts(next),
    ...validatePodCidrs(next),
  ],
  validateUpdate: (next, previous) => [
    ...validateTaints(next.spec?.taints ?? [], 'metadata.taints'),
    ...validateReport(next),
    ...validateChange(next, previous),
  ],
};

/** Removes the dynamic kubelet configuration, because its feature gate is off. */
function forgetConfigSource(node: Node): void {
  delete node.spec?.configSource;
  delete node.status?.config;
}

function validatePodCidrs(node: Frozen): FieldErrors {
  const cidrs = node.spec?.podCIDRs ?? [];
  const errors: FieldError[] = cidrs.flatMap((cidr, at) =>
    isCidr(cidr).length === 0
      ? []
      : [invalidLiteral(index('spec.podCIDRs', at), goStrings(cidrs), 'must be valid CIDR')],
  );
  if (cidrs.length < 2) return errors;
  const unreadable = cidrs.find((cidr) => isCidr(cidr).length > 0);
  if (unreadable !== undefined) {
    const why = `failed to parse cidr value:${JSON.stringify(unreadable)} with error:invalid CIDR address: ${unreadable}`;
    const message = `Internal error: invalid PodCIDRs. failed to check with dual stack with error:${why}`;
    errors.push(fieldError('InternalError', 'spec.podCIDRs', message));
  }
  const families = new Set(cidrs.map((cidr) => cidr.includes(':')));
  if (unreadable !== undefined || cidrs.length > 2 || families.size === 1) {
    const detail = 'may specify no more than one CIDR for each IP family';
    errors.push(invalidLiteral('spec.podCIDRs', goStrings(cidrs), detail));
  }
  const repeated = cidrs.flatMap((cidr, at) =>
    cidrs.indexOf(cidr) < at ? [duplicateField(index('spec.podCIDRs', at), cidr)] : [],
  );
  return [...errors, ...repeated];
}

/** Checks the rules of `ValidateNodeResources` in Kubernetes 1.24. */
const validateAmounts = ({ status }: Frozen): FieldErrors =>
  (['capacity', 'allocatable'] as const).flatMap((field) =>
    Object.entries(status?.[field] ?? {}).flatMap(([name, text]) =>
      validateResourceAmount(name, text, child('status', field, name)),
    ),
  );

const validateReport = (node: Frozen): FieldErrors => [...validateAmounts(node), ...validateAddresses(node)];

const validateAddresses = ({ status }: Frozen): FieldErrors => {
  const seen = new Set<string>();
  return (status?.addresses ?? []).flatMap(({ type = '', address = '' }, at) => {
    const shown = goStruct('core.NodeAddress', { Type: goString(type), Address: goString(address) });
    if (!seen.has(shown)) {
      seen.add(shown);
      return [];
    }
    return [duplicateLiteral(index('status.addresses', at), shown)];
  });
};

function validateChange(next: Frozen, previous: Frozen): FieldErrors {
  const errors: FieldError[] = [];
  const onlyOnce = (field: 'podCIDRs' | 'providerID', name: string): void => {
    const was = previous.spec?.[field];
    if (was !== undefined && was.length > 0 && !sameValue(was, next.spec?.[field])) {
      errors.push(
        forbiddenField(`spec.${field}`, `node updates may not change ${name} except from "" to valid`),
      );
    }
  };
  onlyOnce('podCIDRs', 'podCIDR');
  onlyOnce('providerID', 'providerID');
  if (errors.length > 0 || !sameValue(fixedSpec(next), fixedSpec(previous))) {
    errors.push(
      forbiddenField(
        '[]',
        'node updates may only change labels, taints, or capacity (or configSource, if the DynamicKubeletConfig feature gate is enabled)',
      ),
    );
  }
  return errors;
}

/** Returns the immutable parts of the spec that no other rule checks. */
const fixedSpec = (node: Frozen): object => ({ externalID: node.spec?.externalID ?? '' });

/** Subresource through which the kubelet reports the status. */
const status: ObjectSubresource<Node> = {
  verbs: ['get', 'patch', 'update'],
  prepareForUpdate(next, previous) {
    carryOver(next, previous, 'spec');
    if (previous.status?.config === undefined) delete next.status?.config;
  },
  validateUpdate: validateReport,
};

/** Subresources of Nodes. */
export const nodeSubresources = { status };

function statusText(node: Frozen): string {
  const ready = node.status?.conditions?.find(({ type }) => type === 'Ready');
  const state = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return node.spec?.unschedulable === true ? `${state},SchedulingDisabled` : state;
}

/** Reads roles from `node-role.<domain>/<role>`, or from the older label `<domain>/role`. */
function rolesOf(node: Frozen): string {
  const roles = Object.entries(node.metadata?.labels ?? {}).flatMap(([key, text]) => {
    const role = /^node-role\.[^/]+\/(.+)$/.exec(key)?.[1];
    if (role !== undefined) return [role];
    return /^[^./]+\.io\/role$/.test(key) && text !== '' ? [text] : [];
  });
  return orNone([...new Set(roles)].sort().join(','));
}

const address =
  (type: string) =>
  (node: Frozen): string =>
    orNone(node.status?.addresses?.find((each) => each.type === type)?.address);

const UNKNOWN = '<unknown>';

/** Table columns of Nodes. */
export const nodeColumns: readonly Column<Node>[] = [
  nameColumn,
  column<Node>('Status', statusText, 'The status of the node'),
  column<Node>('Roles', rolesOf, 'The roles of the node'),
  ageColumn,
  column<Node>(
    'Version',
    (node) => node.status?.nodeInfo?.kubeletVersion ?? '',
    'Kubelet Version reported by the node.',
  ),
  wideColumn<Node>(
    'Internal-IP',
    address('InternalIP'),
    'List of addresses reachable to the node. Queried from cloud provider, if available. More info: https://{domain}/docs/concepts/nodes/node/#addresses Note: This field is declared as mergeable, but the merge key is not sufficiently unique, which can cause data corruption when it is merged. Callers should instead use a full-replacement patch. See http://pr.{groupSuffix}/79391 for an example.',
  ),
  wideColumn<Node>(
    'External-IP',
    address('ExternalIP'),
    'List of addresses reachable to the node. Queried from cloud provider, if available. More info: https://{domain}/docs/concepts/nodes/node/#addresses Note: This field is declared as mergeable, but the merge key is not sufficiently unique, which can cause data corruption when it is merged. Callers should instead use a full-replacement patch. See http://pr.{groupSuffix}/79391 for an example.',
  ),
  wideColumn<Node>(
    'OS-Image',
    (node) => node.status?.nodeInfo?.osImage || UNKNOWN,
    'OS Image reported by the node from /etc/os-release (e.g. Debian GNU/Linux 7 (wheezy)).',
  ),
  wideColumn<Node>(
    'Kernel-Version',
    (node) => node.status?.nodeInfo?.kernelVersion || UNKNOWN,
    "Kernel Version reported by the node from 'uname -r' (e.g. 3.16.0-0.bpo.4-amd64).",
  ),
  wideColumn<Node>(
    'Container-Runtime',
    (node) => node.status?.nodeInfo?.containerRuntimeVersion || UNKNOWN,
    'ContainerRuntime Version reported by the node through runtime remote API (e.g. docker://1.5.0).',
  ),
];

/** Field selectors of Nodes. */
export const nodeFields = {
  'spec.unschedulable': (node: Frozen) => String(node.spec?.unschedulable ?? false),
};
