import { configMaps, namespaces } from '../../api/groups/core-v1.ts';
import { ApiError } from '../../api/status/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import {
  type ObservedConfigMap,
  type UpdateInput,
  rootCaCertPublisherMachine,
} from '../../machines/root-ca-cert-publisher/root-ca-cert-publisher.ts';
import {
  type ControllerContext,
  type ControllerDefinition,
  type Effects,
  exponentialBuckets,
  watch,
} from '../../runtime/index.ts';
import { implement } from '../implement.ts';
import { isActive, isNamespaceEnding } from '../namespace-state.ts';
import { rootCaCertPublisherManifest } from './manifest.ts';

/** Settings of the root CA publisher. */
export interface RootCaSettings {
  /** CA (PEM) of the API server's certificate. Read for each reconcile, because it may change. */
  readonly rootCa: string;
}

const FILE = 'ca.crt';
/** Returns the description of upstream, word for word, because users search for it. */
const descriptionBy = ({ short, product }: Vocabulary): string =>
  `Contains a CA bundle that can be used to verify the ${short}-apiserver when using internal endpoints such as the internal service IP or ${product}.default.svc. ` +
  `No other usage is guaranteed across distributions of ${product.charAt(0).toUpperCase()}${product.slice(1)} clusters.`;

/**
 * Publishes the root CA as a ConfigMap in every active namespace:
 * https://github.com/kubernetes/kubernetes/blob/v1.24.0/pkg/controller/certificates/rootcacertpublisher/publisher.go
 */
export const rootCaCertPublisherController = (settings: RootCaSettings): ControllerDefinition =>
  implement(rootCaCertPublisherManifest, {
    machine: rootCaCertPublisherMachine,
    watches: (context) => [
      watch(namespaces),
      watch(configMaps, { ...scopeOf(context), keys: ({ metadata }) => [metadata?.namespace ?? ''] }),
    ],
    effects: (context) => createEffects(context, settings),
  });

const scopeOf = ({ scheme }: ControllerContext) => ({
  fieldSelector: `metadata.name=${scheme.vocabulary.rootCaConfigMap}`,
});

function createEffects(context: ControllerContext, settings: RootCaSettings): Effects {
  const { client, informers, scheme } = context;
  const counted = createSyncMetrics(context);
  const name = scheme.vocabulary.rootCaConfigMap;
  const description = scheme.vocabulary.key('', 'description');
  const namespaceStore = informers.of(namespaces).store;
  const configMapStore = informers.of(configMaps, scopeOf(context)).store;
  const observe = (key: string): ObservedConfigMap | null => {
    if (!isActive(namespaceStore.get(key))) return null;
    const found = configMapStore.get(`${key}/${name}`);
    if (!found?.metadata?.uid) return { state: 'missing' };
    const { uid, resourceVersion = '' } = found.metadata;
    const isCurrent =
      Object.keys(found.data ?? {}).length === 1 &&
      found.data?.[FILE] === settings.rootCa &&
      // Any description is accepted, because it differs between releases.
      (found.metadata.annotations?.[description] ?? '') !== '';
    return isCurrent ? { state: 'current' } : { state: 'different', uid, resourceVersion };
  };
  return {
    observe: async ({ key }: { key: string }): Promise<ObservedConfigMap | null> => {
      const observed = observe(key);
      const isDone = observed === null || observed.state === 'current';
      return isDone ? counted(async () => observed) : observed;
    },

    create: ({ namespace }: { namespace: string }, signal: AbortSignal): Promise<void> => {
      const configMap = {
        metadata: {
          name,
          namespace,
          annotations: { [description]: descriptionBy(scheme.vocabulary) },
        },
        data: { [FILE]: settings.rootCa },
        ...scheme.typeMetaOf(configMaps),
      };
      return counted(async () => {
        try {
          await client.namespaced(configMaps, namespace).create(configMap, { signal });
        } catch (thrown) {
          if (!isNamespaceEnding(thrown)) throw thrown;
        }
      });
    },

    update: async ({ namespace, uid, resourceVersion }: UpdateInput, signal: AbortSignal): Promise<void> => {
      const found = configMapStore.get(`${namespace}/${name}`);
      if (found?.metadata?.uid !== uid) throw new Error(`configmap ${namespace}/${name} has been replaced`);
      const annotations = {
        ...found.metadata.annotations,
        [description]: descriptionBy(scheme.vocabulary),
      };
      const configMap = {
        ...found,
        metadata: { ...found.metadata, resourceVersion, annotations },
        data: { [FILE]: settings.rootCa },
      };
      await counted(() => client.namespaced(configMaps, namespace).update(configMap, { signal }));
    },
  };
}

/**
 * Creates a function that runs one step of a reconcile and counts it by result, in the metrics of release
 * 1.24.
 */
function createSyncMetrics({ metrics, clock }: ControllerContext) {
  const help = 'Number of namespace syncs happened in root ca cert publisher.';
  const syncs = metrics.counter('root_ca_cert_publisher_sync_total', help, ['code']);
  const seconds = metrics.histogram(
    'root_ca_cert_publisher_sync_duration_seconds',
    help,
    ['code'],
    exponentialBuckets(0.001, 2, 15),
  );
  return async <T>(work: () => Promise<T>): Promise<T> => {
    const startedMs = clock.monotonic();
    const note = (code: number): void => {
      syncs.at(String(code)).add(1);
      seconds.at(String(code)).observe((clock.monotonic() - startedMs) / 1_000);
    };
    try {
      const result = await work();
      note(200);
      return result;
    } catch (thrown) {
      note(thrown instanceof ApiError ? thrown.status.code : 500);
      throw thrown;
    }
  };
}
