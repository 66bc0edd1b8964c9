import { spend } from '../../base/budget/index.ts';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { Container } from '../../api/types/core-v1-container.ts';
import type { PodSpec } from '../../api/types/core-v1-pod.ts';
import type { LimitRange } from '../../api/types/core-v1.ts';

type List = Readonly<Record<string, string>>;

/** Work units for applying one default to one container. */
const DEFAULT_WORK = 0.7;

/** Default requests and limits of containers. */
interface Defaults {
  readonly requests: List;
  readonly limits: List;
}

/** Merges the defaults of a LimitRange. Later items override earlier items. */
const defaultsOf = ({ spec }: DeepReadonly<LimitRange>): Defaults => {
  const items = (spec?.limits ?? []).filter(({ type }) => type === 'Container');
  return {
    requests: Object.assign({}, ...items.map((item) => item.defaultRequest)) as List,
    limits: Object.assign({}, ...items.map((item) => item.default)) as List,
  };
};

/** Returns the list completed with defaults, and the sorted names of the added resources. */
function filled(list: List | undefined, defaults: List): readonly [list: List, names: readonly string[]] {
  const all = Object.keys(defaults);
  spend(all.length * DEFAULT_WORK);
  const names = all.filter((name) => !Object.hasOwn(list ?? {}, name));
  return [{ ...defaults, ...list }, names.toSorted()];
}

/**
 * Sets the missing resources of a container. Returns descriptions of the changes for the pod's annotation.
 */
function setDefaults(container: Container, what: string, defaults: Defaults): readonly string[] {
  const resources = container.resources ?? {};
  const [limits, limitNames] = filled(resources.limits, defaults.limits);
  const [requests, requestNames] = filled(resources.requests, defaults.requests);
  if (limitNames.length > 0) resources.limits = limits;
  if (requestNames.length > 0) resources.requests = requests;
  container.resources = resources;
  const describe = (names: readonly string[], kind: string): readonly string[] =>
    names.length === 0 ? [] : [`${names.join(', ')} ${kind} for ${what} ${container.name}`];
  return [...describe(requestNames, 'request'), ...describe(limitNames, 'limit')];
}

/**
 * Sets the defaults of a LimitRange on all containers of a pod. Returns the value of the annotation that
 * lists the changes, or undefined if nothing changed.
 */
export function setRangeDefaults(spec: PodSpec, range: DeepReadonly<LimitRange>): string | undefined {
  const defaults = defaultsOf(range);
  const changes = [
    ...(spec.containers ?? []).flatMap((each) => setDefaults(each, 'container', defaults)),
    ...(spec.initContainers ?? []).flatMap((each) => setDefaults(each, 'init container', defaults)),
  ];
  return changes.length === 0 ? undefined : `LimitRanger plugin set: ${changes.join('; ')}`;
}
