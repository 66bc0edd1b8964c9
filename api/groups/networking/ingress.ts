import { carryOver } from '../../kinds/carry-over.ts';
import { ageColumn, column, NONE, nameColumn } from '../../kinds/columns.ts';
import type { Column, DeepReadonly, ObjectSubresource, Strategy } from '../../kinds/kind.ts';
import { invalidField } from '../../status/field-errors.ts';
import type { Ingress } from '../../types/networking-v1.ts';
import { validateIngress } from '../../validation/network/ingress.ts';
import { validateLoadBalancerStatus } from '../../validation/network/load-balancer.ts';

type Frozen = DeepReadonly<Ingress>;

/** Annotation that held the class before the field existed. */
const classKey = 'ingress.class';
const SHOWN_HOSTS = 3;

/** Strategy of Ingresses. */
export const ingressStrategy: Strategy<Ingress> = {
  prepareForCreate(next) {
    next.status = {};
  },
  prepareForUpdate: (next, previous) => carryOver(next, previous, 'status'),
  validate: validateIngress,
  validateCreate({ metadata, spec }, { vocabulary }) {
    const key = vocabulary.key('', classKey);
    const annotated = metadata?.annotations?.[key];
    return annotated === undefined || spec?.ingressClassName === undefined
      ? []
      : [invalidField(`annotations.${key}`, annotated, 'can not be set when the class field is also set')];
  },
  warnings({ metadata, spec }, previous, { vocabulary }) {
    const key = vocabulary.key('', classKey);
    const isOld = metadata?.annotations?.[key] !== undefined && spec?.ingressClassName === undefined;
    return isOld && previous === undefined
      ? [`annotation ${JSON.stringify(key)} is deprecated, please use 'spec.ingressClassName' instead`]
      : [];
  },
};

const status: ObjectSubresource<Ingress> = {
  verbs: ['get', 'patch', 'update'],
  prepareForUpdate: (next, previous) => carryOver(next, previous, 'spec'),
  validateUpdate: (next) => validateLoadBalancerStatus(next.status?.loadBalancer, 'status.loadBalancer'),
};

/** Subresources of Ingresses. */
export const ingressSubresources = { status };

function hostsText({ spec }: Frozen): string {
  const rules = spec?.rules ?? [];
  const shown: string[] = [];
  for (const { host } of rules) {
    if (shown.length === SHOWN_HOSTS) return `${shown.join(',')} + ${rules.length - SHOWN_HOSTS} more...`;
    if (host) shown.push(host);
  }
  return shown.length === 0 ? '*' : shown.join(',');
}

const addressText = ({ status: reported }: Frozen): string => {
  const entries = reported?.loadBalancer?.ingress ?? [];
  const addresses = entries.map(({ ip, hostname }) => ip || hostname || '').filter(Boolean);
  return [...new Set(addresses)].sort().join(',');
};

/** Table columns of Ingresses. */
export const ingressColumns: readonly Column<Ingress>[] = [
  nameColumn,
  column<Ingress>(
    'Class',
    ({ spec }) => spec?.ingressClassName ?? NONE,
    'The name of the IngressClass resource that should be used for additional configuration',
  ),
  column<Ingress>(
    'Hosts',
    hostsText,
    'Hosts that incoming requests are matched against before the ingress rule',
  ),
  column<Ingress>(
    'Address',
    addressText,
    'Address is a list containing ingress points for the load-balancer',
  ),
  column<Ingress>(
    'Ports',
    ({ spec }) => ((spec?.tls ?? []).length > 0 ? '80, 443' : '80'),
    'Ports of TLS configurations that open',
  ),
  ageColumn,
];
