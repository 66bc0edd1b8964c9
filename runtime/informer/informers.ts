import type { ApiObject, Kind } from '../../api/kinds/kind.ts';
import type { Environment } from '../../base/environment.ts';
import type { Lifetime } from '../../base/lifetime/lifetimes.ts';
import type { ReflectorInput } from '../../machines/informer/reflector.ts';
import type { Client } from '../client/client.ts';
import type { Informer, InformerScope, Informers } from './informer.ts';
import {
  type InformerHealth,
  type InformerMetrics,
  type SharedInformer,
  createSharedInformer,
} from './shared-informer.ts';
import { createReturnWatch } from './return-watch.ts';
import { createTransform } from './transform.ts';

export interface InformersOptions extends Environment {
  readonly client: Client;
  readonly metrics?: InformerMetrics;
  /** Waits of every reflector. */
  readonly reflector?: ReflectorInput;
  /** Shortest life time asked for a watch, seconds. Default 300. */
  readonly watchSeconds?: number;
  /**
   * Keeps objects without the annotation in which `apply` of older clients remembers a whole object. Only for programs
   * that never update a whole object from the cache, which would take it away at the server. Default false.
   */
  readonly dropLastApplied?: boolean;
}

export interface RunningInformers extends Informers, Lifetime {
  health(): readonly InformerHealth[];
}

/**
 * One informer for each kind and scope, shared by all who ask. `start` does not wait for the first lists (`ready` does),
 * so that a process can start before its API server; an informer asked for later starts at once.
 */
export function createInformers(options: InformersOptions): RunningInformers {
  const { client, clock, random, log, metrics, reflector, watchSeconds } = options;
  const informers = new Map<string, SharedInformer<ApiObject>>();
  let state: 'new' | 'started' | 'stopped' = 'new';
  const transform = createTransform(client.scheme.vocabulary, options.dropLastApplied ?? false);

  const returnWatch = createReturnWatch({ clock, random, informers: () => [...informers.values()] });

  const create = <T extends ApiObject>(kind: Kind<T>, scope: InformerScope): SharedInformer<T> =>
    createSharedInformer<T>({
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
  const keyOf = (
    kind: Pick<Kind, 'group' | 'version' | 'plural'>,
    { namespace, labelSelector, fieldSelector }: InformerScope,
    metadataOnly: boolean,
  ): string =>
    JSON.stringify([
      client.scheme.apiVersionOf(kind),
      kind.plural,
      namespace,
      labelSelector,
      fieldSelector,
      metadataOnly,
    ]);
  const health = (): readonly InformerHealth[] =>
    [...informers.values()].map((informer) => {
      const problem = informer.problem();
      return {
        name: informer.name,
        synced: informer.synced,
        watching: informer.watching,
        silentMs: informer.silentMs(),
        objects: informer.store.size,
        ...(problem === undefined ? {} : { problem }),
      };
    });
  metrics?.track?.(health);
  return {
    name: 'informers',
    of<T extends ApiObject>(kind: Kind<T>, scope: InformerScope = {}): Informer<T> {
      const key = keyOf(kind, scope, scope.metadataOnly === true);
      // Whole objects have metadata too: one stream and one cache are enough.
      const known = informers.get(keyOf(kind, scope, false)) ?? informers.get(key);
      if (known !== undefined) return known as unknown as Informer<T>;
      const informer = create(kind, scope);
      informers.set(key, informer as unknown as SharedInformer<ApiObject>);
      if (state === 'started') informer.start();
      return informer;
    },
    async release(kind) {
      const prefix = `${JSON.stringify([client.scheme.apiVersionOf(kind), kind.plural]).slice(0, -1)},`;
      const released = [...informers].filter(([key]) => key.startsWith(prefix));
      for (const [key] of released) informers.delete(key);
      await Promise.all(released.map(([, informer]) => informer.stop()));
    },
    start() {
      state = 'started';
      for (const informer of informers.values()) informer.start();
      return Promise.resolve();
    },
    async stop() {
      state = 'stopped';
      returnWatch.stop();
      await Promise.all([...informers.values()].map((informer) => informer.stop()));
    },
    health,
  };
}
