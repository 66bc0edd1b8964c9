import { spend } from '../../base/budget/index.ts';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { Container } from '../../api/types/core-v1-container.ts';
import type { PodSpec } from '../../api/types/core-v1-pod.ts';
import type { LimitRange } from '../../api/types/core-v1.ts';

type List = Readonly<Record<string, string>>;

/** Work units of one default of one container. */
const DEFAULT_WORK = 0.7;

/** What containers get that say nothing themselves. */
interface Defaults {
  readonly requests: List;
  readonly limits: List;
}

/** Later items of a range go before earlier ones. */
const defaultsOf = ({ spec }: DeepReadonly<LimitRange>): Defaults => {
  const items = (spec?.limits ?? []).filter(({ type }) => type === 'Container');
  return {
    requests: Object.assign({}, ...items.map((item) => item.defaultRequest)) as List,
    limits: Object.assign({}, ...items.map((item) => item.default)) as List,
  };
};

/** `list` with the defaults for what it does not name, and the names that were filled in, sorted. */
function filled(list: List | undefined, defaults: List): readonly [list: List, names: readonly string[]] {
  const all = Object.keys(defaults);
  spend(all.length * DEFAULT_WORK);
  const names = all.filter((name) => !Object.hasOwn(list ?? {}, name));
  return [{ ...defaults, ...list }, names.toSorted()];
}

/** Fills in a container's resources; what was set, as the pod's annotation tells it. */
function setDefaults(container: Container, what: string, defaults: Defaults): readonly string[] {
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

/** Gives all containers of a pod the defaults of a range; what was set, undefined: nothing. */
export function setRangeDefaults(spec: PodSpec, range: DeepReadonly<LimitRange>): string | undefined {
  const defaults = defaultsOf(range);
  const told = [
    ...(spec.containers ?? []).flatMap((each) => setDefaults(each, 'container', defaults)),
    ...(spec.initContainers ?? []).flatMap((each) => setDefaults(each, 'init container', defaults)),
  ];
  return told.length === 0 ? undefined : `LimitRanger plugin set: ${told.join('; ')}`;
}
