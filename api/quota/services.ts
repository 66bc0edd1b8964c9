import type { DeepReadonly } from '../kinds/kind.ts';
import { quantityOf } from '../quantity/quantity.ts';
import type { Service } from '../types/core-v1-service.ts';
import type { QuotaEvaluator } from './kind-evaluator.ts';
import type { ResourceList } from './resource-list.ts';

const COUNT = 'count/services';
const NAMES = [COUNT, 'services', 'services.nodeports', 'services.loadbalancers'];

/**
 * Counts the node ports of a Service, including node ports that are not allocated yet, because admission runs
 * before allocation.
 */
function nodePorts({ spec }: DeepReadonly<Service>): number {
  const ports = spec?.ports ?? [];
  if (spec?.type === 'NodePort') return ports.length;
  if (spec?.type !== 'LoadBalancer') return 0;
  return spec.allocateLoadBalancerNodePorts === false
    ? ports.filter(({ nodePort }) => (nodePort ?? 0) !== 0).length
    : ports.length;
}

/** Evaluator of the kind Service. */
export const serviceEvaluator: QuotaEvaluator = {
  // An update may change the type of the Service.
  countsUpdates: true,
  matchingResources: (given) => [...given].filter((name) => NAMES.includes(name)),
  matchesScope: () => false,
  hasScopes: false,
  missing: () => undefined,
  usage(object): ResourceList {
    const service = object as DeepReadonly<Service>;
    return new Map([
      [COUNT, quantityOf(1)],
      ['services', quantityOf(1)],
      ['services.nodeports', quantityOf(nodePorts(service))],
      ['services.loadbalancers', quantityOf(service.spec?.type === 'LoadBalancer' ? 1 : 0)],
    ]);
  },
};
