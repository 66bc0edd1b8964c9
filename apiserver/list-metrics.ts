import type { Count, Metrics } from '../base/metrics/index.ts';
import { goTypeOf } from './go-type.ts';
import type { OnList, OnWatch } from './registry/resource.ts';
import { upstreamPath } from './registry/write/uid-precondition.ts';

type Listed = Parameters<OnList>[0];

/** Returns the `resource_prefix` label, which is the path under which upstream stores the kind. */
function resourcePrefixOf({ kind, name: { group, resource } }: Listed): string {
  const isCustom = kind.schema.root !== undefined;
  return isCustom ? `/${group}/${resource}` : `/${upstreamPath(resource)}`;
}

/** Counters for the lists of one resource: requests, and objects read, evaluated and returned. */
interface Tally {
  readonly lists: Count;
  readonly fetched: Count;
  readonly evaluated?: Count;
  readonly returned: Count;
}

/**
 * Creates a function that counts, for each resource, the objects that lists read from the watch cache and
 * from the store.
 */
export function createListMetrics(metrics: Metrics): OnList {
  const tallyOf = { cache: cacheTallies(metrics), storage: storageTallies(metrics) };
  const tallies = { cache: new Map<string, Tally>(), storage: new Map<string, Tally>() };
  return (resource, from, { fetched, evaluated, returned }) => {
    let tally = tallies[from].get(resource.prefix);
    if (!tally) tallies[from].set(resource.prefix, (tally = tallyOf[from](resource)));
    tally.lists.add(1);
    tally.fetched.add(fetched);
    tally.evaluated?.add(evaluated);
    tally.returned.add(returned);
  };
}

function cacheTallies(metrics: Metrics): (listed: Listed) => Tally {
  const counter = (what: string, help: string, ...labels: readonly string[]) =>
    metrics.counter(`apiserver_cache_list_${what}total`, help, ['resource_prefix', ...labels]);
  const lists = counter('', 'Number of LIST requests served from watch cache', 'index');
  const fetched = counter(
    'fetched_objects_',
    'Number of objects read from watch cache in the course of serving a LIST request',
    'index',
  );
  const returned = counter(
    'returned_objects_',
    'Number of objects returned for a LIST request from watch cache',
  );
  return (listed) => {
    const path = resourcePrefixOf(listed);
    return { lists: lists.at(path, ''), fetched: fetched.at(path, ''), returned: returned.at(path) };
  };
}

function storageTallies(metrics: Metrics): (listed: Listed) => Tally {
  const counter = (what: string, help: string) =>
    metrics.counter(`apiserver_storage_list_${what}total`, help, ['resource']);
  const lists = counter('', 'Number of LIST requests served from storage');
  const fetched = counter(
    'fetched_objects_',
    'Number of objects read from storage in the course of serving a LIST request',
  );
  const evaluated = counter(
    'evaluated_objects_',
    'Number of objects tested in the course of serving a LIST request from storage',
  );
  const returned = counter('returned_objects_', 'Number of objects returned for a LIST request from storage');
  return ({ name: { group, resource } }) => {
    const name = group === '' ? resource : `${resource}.${group}`;
    return {
      lists: lists.at(name),
      fetched: fetched.at(name),
      evaluated: evaluated.at(name),
      returned: returned.at(name),
    };
  };
}

/**
 * Creates a function that counts the existing objects that watches send first, by the Go type in which
 * upstream stores them.
 */
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
