import type { DeepReadonly } from '../../api/kinds/index.ts';
import {
  type Quantity,
  compareQuantities,
  quantityMilliValue,
  quantityOf,
  quantityValue,
} from '../../api/quantity/index.ts';
import type { Container } from '../../api/types/core-v1-container.ts';
import type { PersistentVolumeClaim } from '../../api/types/core-v1-persistent-volume.ts';
import type { Pod, PodSpec } from '../../api/types/core-v1-pod.ts';
import type { LimitRange } from '../../api/types/core-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { ObjectReader } from '../registry/registry.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../request.ts';
import { type Resources, type Usage, claimProblems, limitProblems, quantitiesOf } from './limit-check.ts';
import { setRangeDefaults } from './limit-defaults.ts';
import { coreKind, rejection } from './rejection.ts';
import { aggregateMessages } from '../aggregate-messages.ts';

const usageOf = ({ resources }: DeepReadonly<Container>): Usage => ({
  requests: quantitiesOf(resources?.requests),
  limits: quantitiesOf(resources?.limits),
});

/** Adds quantities of a resource: as thousandths for CPU, as whole numbers for other resources. */
function total(name: string, quantities: readonly Quantity[]): Quantity {
  const sum = (value: (quantity: Quantity) => bigint): bigint =>
    quantities.reduce((all, each) => all + value(each), 0n);
  if (name !== 'cpu') return quantityOf(sum(quantityValue));
  return { ...quantityOf(sum(quantityMilliValue)), exponent: -3 };
}

/** Sums each resource over all items. Omits a resource that any item leaves unset. */
function summed(all: readonly Resources[]): Map<string, Quantity> {
  const sums = new Map<string, Quantity>();
  for (const name of new Set(all.flatMap((each) => Object.keys(each)))) {
    const quantities = all.flatMap((each) => (Object.hasOwn(each, name) ? (each[name] ?? []) : []));
    if (quantities.length === all.length) sums.set(name, total(name, quantities));
  }
  return sums;
}

/**
 * Returns the resources that a pod needs. For each resource, this is the larger of two values: the sum over
 * the containers, which run together, and the maximum over the init containers, which run one after another.
 */
function podUsage(spec: DeepReadonly<PodSpec>): Usage {
  const running = (spec.containers ?? []).map(usageOf);
  const initial = (spec.initContainers ?? []).map(usageOf);
  const of = (key: keyof Usage): Resources => {
    const needed = summed(running.map((each) => each[key]));
    for (const [name, quantity] of initial.flatMap((each) => Object.entries(each[key]))) {
      const found = needed.get(name);
      if (found === undefined || compareQuantities(quantity, found) > 0) needed.set(name, quantity);
    }
    return Object.fromEntries(needed);
  };
  return { requests: of('requests'), limits: of('limits') };
}

function podProblems(spec: DeepReadonly<PodSpec>, range: DeepReadonly<LimitRange>): readonly string[] {
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(usageOf);
  return (range.spec?.limits ?? []).flatMap((item) => {
    if (item.type === 'Container') return containers.flatMap((usage) => limitProblems(item, usage));
    return item.type === 'Pod' ? limitProblems(item, podUsage(spec)) : [];
  });
}

function storageProblems(
  { spec }: DeepReadonly<PersistentVolumeClaim>,
  range: DeepReadonly<LimitRange>,
): readonly string[] {
  const requests = quantitiesOf(spec?.resources?.requests);
  return (range.spec?.limits ?? []).flatMap((item) =>
    item.type === 'PersistentVolumeClaim' ? claimProblems(item, requests) : [],
  );
}

const isPods = coreKind('pods');
const isClaims = coreKind('persistentvolumeclaims');

/**
 * True if limits apply to the request. They apply to the creation of pods, whose resources are immutable
 * afterwards, and to every write of claims, which can grow. Objects that are being deleted are exempt.
 */
function isBound(request: DeepReadonly<AdmissionRequest>): boolean {
  if (request.subresource !== '' || request.previous?.metadata?.deletionTimestamp !== undefined) return false;
  const { kind } = request;
  return isClaims(kind) || (isPods(kind) && request.operation === 'CREATE');
}

/**
 * Creates a plugin that applies LimitRange objects (https://kubernetes.io/docs/concepts/policy/limit-range/).
 * It sets their defaults on the containers of new pods, and rejects pods and claims that violate a bound. The
 * error lists all violations of the first violated LimitRange.
 */
export function createLimitRanger(options: {
  readonly limitRanges: ObjectReader<LimitRange>;
  readonly vocabulary: Vocabulary;
}): AdmissionPlugin {
  const { limitRanges, vocabulary } = options;
  const annotation = vocabulary.key('', 'limit-ranger');
  return {
    name: 'LimitRanger',
    operations: ['CREATE', 'UPDATE'],
    concerns: (kind) => isPods(kind) || isClaims(kind),
    mutates: isPods,
    async mutate(request) {
      const pod = request.object as Pod | undefined;
      if (!isPods(request.kind) || !isBound(request) || pod?.spec === undefined) return;
      for (const range of limitRanges.list(request.namespace)) {
        const changes = setRangeDefaults(pod.spec, range);
        if (changes === undefined) continue;
        const annotations = { ...pod.metadata?.annotations, [annotation]: changes };
        pod.metadata = { ...pod.metadata, annotations };
      }
    },
    async validate(request) {
      if (!isBound(request) || request.object === undefined) return;
      const object = request.object as DeepReadonly<Pod & PersistentVolumeClaim>;
      for (const range of limitRanges.list(request.namespace)) {
        const problems = isPods(request.kind)
          ? podProblems(object.spec ?? { containers: [] }, range)
          : storageProblems(object, range);
        if (problems.length > 0) throw rejection(request, vocabulary, aggregateMessages(problems));
      }
    },
  };
}
