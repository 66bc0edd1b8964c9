import type { ApiObject, Kind } from '../../api/kinds/index.ts';
import type { Environment } from '../../base/environment.ts';
import type { Lifetime } from '../../base/lifetime/index.ts';
import type { ReflectorInput } from '../../machines/informer/reflector.ts';
import type { Client } from '../client/client.ts';
import type { Informer, InformerScope, Informers } from './informer.ts';
import { type EntryTable, type KindName, type SharedEntry, openHold } from './informer-holds.ts';
import type { InformerHealth, InformerMetrics, SharedInformer } from './informer-contract.ts';
import { createSharedInformer } from './shared-informer.ts';
import { createReturnWatch } from './return-watch.ts';
import { createTransform } from './transform.ts';

/** Options of `createInformers`. */
export interface InformersOptions extends Environment {
  readonly client: Client;
  readonly metrics?: InformerMetrics;
  /** Timing of every reflector. */
  readonly reflector?: ReflectorInput;
  /** Minimum requested lifetime of a watch in seconds. Default 300. */
  readonly watchSeconds?: number;
  /**
   * True to cache objects without the annotation `last-applied-configuration` of client-side apply. Only for
   * programs that never update whole objects from the cache, because such an update would delete the
   * annotation on the server. Default false.
   */
  readonly dropLastApplied?: boolean;
}

/**
 * Informers of a process. An informer acquired directly through this view is held until it is released or
 * `stop` is called.
 */
export interface RunningInformers extends Informers, Lifetime {
  /** Returns the health of each informer, for health checks and the dashboard. */
  health(): readonly InformerHealth[];
  /** Returns all informers that a view holds. */
  all(): readonly Informer<ApiObject>[];
}

/**
 * Creates the informers of a process, one for each kind and scope. An informer is shared by its holders and
 * stops when the last holder has released it.
 *
 * `start` does not wait for the first lists (`Informer.ready` does), so a process can start before its API
 * server. An informer acquired after `start` starts at once.
 */
export function createInformers(options: InformersOptions): RunningInformers {
  const { client, clock, random, log, metrics, reflector, watchSeconds } = options;
  const entries = new Map<string, SharedEntry>();
  let state: 'new' | 'started' | 'stopped' = 'new';
  const transform = createTransform(client.scheme.vocabulary, options.dropLastApplied ?? false);
  const informers = (): readonly SharedInformer<ApiObject>[] =>
    [...entries.values()].map(({ informer }) => informer);
  const returnWatch = createReturnWatch({ clock, random, log, informers });

  const create = (kind: Kind<ApiObject>, scope: InformerScope): SharedInformer<ApiObject> =>
    createSharedInformer({
      transform,
      client,
      kind,
      scope,
      clock,
      random,
      log,
      onUnreachable: returnWatch.lost,
      onAnswered: returnWatch.answered,
      ...(metrics === undefined ? {} : { metrics }),
      ...(reflector === undefined ? {} : { reflector }),
      ...(watchSeconds === undefined ? {} : { watchSeconds }),
    });
  const resourceOf = (kind: KindName): string => `${client.scheme.apiVersionOf(kind)} ${kind.plural}`;
  const keyOf = (
    resource: string,
    { namespace, labelSelector, fieldSelector }: InformerScope,
    metadataOnly: boolean,
  ): string => JSON.stringify([resource, namespace, labelSelector, fieldSelector, metadataOnly]);
  const table: EntryTable = {
    resourceOf,
    find(kind, scope) {
      const resource = resourceOf(kind);
      const key = keyOf(resource, scope, scope.metadataOnly === true);
      // Whole objects include the metadata, so a second watch and cache would be redundant.
      const known = entries.get(keyOf(resource, scope, false)) ?? entries.get(key);
      if (known !== undefined) return known;
      return { informer: create(kind as unknown as Kind<ApiObject>, scope), resource, key, holds: 0 };
    },
    acquired(entry) {
      if (entry.holds > 1) return entry.informer.wake();
      entries.set(entry.key, entry);
      if (state === 'started') entry.informer.start();
    },
    async unused(entry) {
      entries.delete(entry.key);
      await entry.informer.stop();
    },
  };
  const health = (): readonly InformerHealth[] =>
    informers().map((informer) => {
      const problem = informer.problem();
      return {
        name: informer.name,
        synced: informer.synced,
        watching: informer.watching,
        silentMs: informer.silentMs(),
        objects: informer.size,
        ...(problem === undefined ? {} : { problem }),
      };
    });
  metrics?.track?.(health);
  return {
    name: 'informers',
    ...openHold(table),
    start() {
      state = 'started';
      for (const informer of informers()) informer.start();
      return Promise.resolve();
    },
    async stop() {
      state = 'stopped';
      returnWatch.stop();
      await Promise.all(informers().map((informer) => informer.stop()));
    },
    health,
    all: informers,
  };
}
