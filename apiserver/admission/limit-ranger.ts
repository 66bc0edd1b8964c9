import type { DeepReadonly } from '../../api/kinds/kind.ts';
import { addQuantities, compareQuantities, type Quantity } from '../../api/quantity/quantity.ts';
import type { Container } from '../../api/types/core-v1-container.ts';
import type { Pod, PodSpec } from '../../api/types/core-v1-pod.ts';
import type { LimitRange, LimitRangeItem } from '../../api/types/core-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/vocabulary.ts';
import type { ObjectReader } from '../registry/registry.ts';
import type { AdmissionPlugin } from '../request.ts';
import { type Resources, type Usage, limitProblems, quantitiesOf } from './limit-check.ts';
import { coreKind, isCore, refusal } from './refusal.ts';

type List = Record<string, string>;
type Items = readonly DeepReadonly<LimitRangeItem>[];

/** `list` with the defaults for what it does not name, and the names that were filled in, sorted. */
function filled(list: List | undefined, defaults: List): readonly [list: List, names: readonly string[]] {
  const names = Object.keys(defaults)
    .filter((name) => !Object.hasOwn(list ?? {}, name))
    .sort();
  return [{ ...defaults, ...list }, names];
}

/** Defaults for containers of all items; the first item that has one for a resource decides. */
function defaultsFor(items: Items): { readonly requests: List; readonly limits: List } {
  const containers = items.filter(({ type }) => type === 'Container');
  return {
    requests: containers.reduceRight<List>((all, item) => ({ ...all, ...item.defaultRequest }), {}),
    limits: containers.reduceRight<List>((all, item) => ({ ...all, ...item.default }), {}),
  };
}

/** Fills in a container's resources; what was set, as the pod's annotation tells it. */
function setDefaults(
  container: Container,
  what: string,
  defaults: ReturnType<typeof defaultsFor>,
): readonly string[] {
  const resources = container.resources ?? {};
  const [limits, limitNames] = filled(resources.limits, defaults.limits);
  const [requests, requestNames] = filled(resources.requests, defaults.requests);
  if (limitNames.length > 0) resources.limits = limits;
  if (requestNames.length > 0) resources.requests = requests;
  container.resources = resources;
  const told = (names: readonly string[], kind: string): readonly string[] =>
    names.length === 0 ? [] : [`${names.join(', ')} ${kind} for ${what} ${container.name}`];
  return [...told(requestNames, 'request'), ...told(limitNames, 'limit')];
}

const usageOf = ({ resources }: DeepReadonly<Container>): Usage => ({
  requests: quantitiesOf(resources?.requests),
  limits: quantitiesOf(resources?.limits),
});

const joined = (all: readonly Resources[], join: (a: Quantity, b: Quantity) => Quantity): Resources => {
  const total = new Map<string, Quantity>();
  for (const [name, quantity] of all.flatMap((each) => Object.entries(each))) {
    const found = total.get(name);
    total.set(name, found === undefined ? quantity : join(found, quantity));
  }
  return Object.fromEntries(total);
};

const larger = (a: Quantity, b: Quantity): Quantity => (compareQuantities(a, b) < 0 ? b : a);

/** Containers run together, init containers one by one before them: the pod needs the larger. */
function podUsage(spec: DeepReadonly<PodSpec>): Usage {
  const running = (spec.containers ?? []).map(usageOf);
  const initial = (spec.initContainers ?? []).map(usageOf);
  const of = (key: keyof Usage): Resources =>
    joined(
      [
        joined(
          running.map((each) => each[key]),
          addQuantities,
        ),
        ...initial.map((each) => each[key]),
      ],
      larger,
    );
  return { requests: of('requests'), limits: of('limits') };
}

function problemsOf(spec: DeepReadonly<PodSpec>, items: Items): readonly string[] {
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(usageOf);
  return items.flatMap((item) => {
    if (item.type === 'Container') return containers.flatMap((usage) => limitProblems(item, usage));
    return item.type === 'Pod' ? limitProblems(item, podUsage(spec)) : [];
  });
}

/**
 * Gives the containers of new pods the defaults of their namespace's LimitRanges and refuses pods that break a bound
 * (specification 2, section 2.5). Items of type PersistentVolumeClaim bind no pod.
 */
export function createLimitRanger(options: {
  readonly limitRanges: ObjectReader<LimitRange>;
  readonly vocabulary: Vocabulary;
}): AdmissionPlugin {
  const { limitRanges, vocabulary } = options;
  const annotation = vocabulary.key('', 'limit-ranger');
  const itemsIn = (namespace: string): Items =>
    limitRanges.list(namespace).flatMap((range) => range.spec?.limits ?? []);

  return {
    name: 'LimitRanger',
    operations: ['CREATE'],
    concerns: coreKind('pods'),
    async mutate(request) {
      const pod = request.object as Pod | undefined;
      if (!isCore(request, 'pods') || pod?.spec === undefined) return;
      const items = itemsIn(request.namespace);
      if (items.length === 0) return;
      const defaults = defaultsFor(items);
      const told = [
        ...(pod.spec.containers ?? []).flatMap((each) => setDefaults(each, 'container', defaults)),
        ...(pod.spec.initContainers ?? []).flatMap((each) => setDefaults(each, 'init container', defaults)),
      ];
      if (told.length === 0) return;
      pod.metadata = {
        ...pod.metadata,
        annotations: {
          ...pod.metadata?.annotations,
          [annotation]: `LimitRanger plugin set: ${told.join('; ')}`,
        },
      };
    },
    async validate(request) {
      const spec = (request.object as DeepReadonly<Pod> | undefined)?.spec;
      if (!isCore(request, 'pods') || spec === undefined) return;
      const problems = problemsOf(spec, itemsIn(request.namespace));
      if (problems.length === 0) return;
      throw refusal(
        request,
        vocabulary,
        problems.length === 1 ? `${problems[0]}` : `[${problems.join(', ')}]`,
      );
    },
  };
}
