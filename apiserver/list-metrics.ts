import type { Count, Metrics } from '../base/metrics/metrics.ts';
import { goTypeOf } from './go-type.ts';
import type { OnList, OnWatch } from './registry/resource.ts';

type Listed = Parameters<OnList>[0];

/** Where upstream's store keeps kinds that are not kept by their plural, as its label has it. */
const PLACES: ReadonlyMap<string, string> = new Map([
  ['endpoints', 'services/endpoints'],
  ['ingresses', 'ingress'],
  ['nodes', 'minions'],
  ['podsecuritypolicies', 'podsecuritypolicy'],
  ['replicationcontrollers', 'controllers'],
  ['services', 'services/specs'],
]);

function placeOf({ kind, name: { group, resource } }: Listed): string {
  const isCustom = kind.schema.root !== undefined;
  return isCustom ? `/${group}/${resource}` : `/${PLACES.get(resource) ?? resource}`;
}

/** Counts what lists read, in the cache and in the store, by resource. */
export function createListMetrics(metrics: Metrics): OnList {
  const counter = (from: string, what: string, help: string, labels: readonly string[]) =>
    metrics.counter(`apiserver_${from}_list_${what}total`, help, labels);
  const prefix = ['resource_prefix'];
  const cached = {
    lists: counter('cache', '', 'Number of LIST requests served from watch cache', [...prefix, 'index']),
    fetched: counter(
      'cache',
      'fetched_objects_',
      'Number of objects read from watch cache in the course of serving a LIST request',
      [...prefix, 'index'],
    ),
    returned: counter(
      'cache',
      'returned_objects_',
      'Number of objects returned for a LIST request from watch cache',
      prefix,
    ),
  };
  const stored = (what: string, help: string) => counter('storage', what, help, ['resource']);
  const read = {
    lists: stored('', 'Number of LIST requests served from storage'),
    fetched: stored(
      'fetched_objects_',
      'Number of objects read from storage in the course of serving a LIST request',
    ),
    evaluated: stored(
      'evaluated_objects_',
      'Number of objects tested in the course of serving a LIST request from storage',
    ),
    returned: stored('returned_objects_', 'Number of objects returned for a LIST request from storage'),
  };
  interface Tally {
    readonly lists: Count;
    readonly fetched: Count;
    readonly evaluated?: Count;
    readonly returned: Count;
  }
  const tallies = { cache: new Map<string, Tally>(), storage: new Map<string, Tally>() };
  const tallyOf = (from: 'cache' | 'storage', listed: Listed): Tally => {
    const { group, resource } = listed.name;
    const name = group === '' ? resource : `${resource}.${group}`;
    const path = placeOf(listed);
    return from === 'cache'
      ? {
          lists: cached.lists.at(path, ''),
          fetched: cached.fetched.at(path, ''),
          returned: cached.returned.at(path),
        }
      : {
          lists: read.lists.at(name),
          fetched: read.fetched.at(name),
          evaluated: read.evaluated.at(name),
          returned: read.returned.at(name),
        };
  };
  return (resource, from, { fetched, evaluated, returned }) => {
    let tally = tallies[from].get(resource.prefix);
    if (!tally) tallies[from].set(resource.prefix, (tally = tallyOf(from, resource)));
    tally.lists.add(1);
    tally.fetched.add(fetched);
    tally.evaluated?.add(evaluated);
    tally.returned.add(returned);
  };
}

/** Counts the present objects that watches begin with, by the type of Go that upstream keeps them in. */
export function createWatchMetrics(metrics: Metrics): OnWatch {
  const events = metrics.counter(
    'apiserver_init_events_total',
    'Counter of init events processed in watchcache broken by resource type.',
    ['resource'],
  );
  const counts = new Map<string, Count>();
  return ({ kind, prefix }, present) => {
    if (present === 0) return;
    let count = counts.get(prefix);
    if (!count) counts.set(prefix, (count = events.at(goTypeOf(kind))));
    count.add(present);
  };
}
