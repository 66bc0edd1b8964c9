import { configMaps, pods, secrets, serviceAccounts } from '../../api/groups/core-v1.ts';
import { type DeepReadonly, splitKey } from '../../api/kinds/index.ts';
import { isConflict, isNotFound } from '../../api/status/index.ts';
import type { ConfigMap, Secret, ServiceAccount } from '../../api/types/core-v1.ts';
import type { Pod } from '../../api/types/core-v1-pod.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { fromTime } from '../../base/clock/index.ts';
import {
  type JudgedToken,
  type ObservedLegacyToken,
  type TokenInput,
  type Written,
  judge,
  legacyTokenCleanerMachine,
} from '../../machines/legacy-service-account-token-cleaner/index.ts';
import {
  type ControllerContext,
  type ControllerDefinition,
  type Effects,
  watch,
} from '../../runtime/index.ts';
import { unlessNotFound } from '../absence.ts';
import { implement } from '../implement.ts';
import { podSecretNames } from './pod-secret-names.ts';
import { legacyTokenCleanerManifest } from './manifest.ts';

const YEAR_MS = 365 * 86_400_000;

/**
 * Marks and then deletes unused generated token Secrets:
 * https://github.com/kubernetes/enhancements/tree/master/keps/sig-auth/2799-reduction-of-secret-based-service-account-token
 *
 * The controller is off by default, because release 1.24 does not include it. It does nothing if the API
 * server does not track the use of such tokens.
 * @param periodMs time in milliseconds for which a token must be unused before it is marked, and again before
 * it is deleted; default 365 days
 */
export const legacyTokenCleanerController = (periodMs = YEAR_MS): ControllerDefinition =>
  implement(legacyTokenCleanerManifest, {
    machine: legacyTokenCleanerMachine,
    watches: (context) => {
      const store = context.informers.of(secrets, scopeOf(context)).store;
      return [
        watch(secrets, scopeOf(context)),
        watch(configMaps, {
          ...trackingScope(context),
          keys: () =>
            store.list().map(({ metadata }) => `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`),
        }),
        watch(pods, { keys: keysOfPod }),
        watch(serviceAccounts, {
          keys: ({ metadata, secrets: named }) =>
            (named ?? []).map(({ name }) => `${metadata?.namespace ?? ''}/${name ?? ''}`),
        }),
      ];
    },
    effects: (context) => createEffects(context, periodMs),
  });

const keysOfPod = (pod: DeepReadonly<Pod>): readonly string[] =>
  podSecretNames(pod).map((name) => `${pod.metadata?.namespace ?? ''}/${name}`);

const scopeOf = ({ scheme: { vocabulary } }: ControllerContext) => ({
  fieldSelector: `type=${vocabulary.secretTypes.serviceAccountToken}`,
});

const trackingName = ({ short }: Vocabulary): string =>
  `${short}-apiserver-legacy-service-account-token-tracking`;

const trackingScope = ({ scheme: { vocabulary } }: ControllerContext) => ({
  namespace: vocabulary.namespaces.system,
  fieldSelector: `metadata.name=${trackingName(vocabulary)}`,
});

const DATE = /^\d{4}-\d\d-\d\d$/;
/**
 * Returns the start of a day in UTC, in milliseconds since the epoch, or undefined if the string is not a
 * date.
 */
const dateMs = (text: string | undefined): number | undefined =>
  text !== undefined && DATE.test(text) ? fromTime(`${text}T00:00:00Z`) : undefined;

/** Objects on which the decision about a token is based, read from the caches or from the API. */
interface Reading {
  readonly nowMs: number;
  readonly secret: DeepReadonly<Secret> | undefined;
  readonly account: DeepReadonly<ServiceAccount> | undefined;
  readonly tracking: DeepReadonly<ConfigMap> | undefined;
  readonly inUse: boolean;
}

function createEffects(context: ControllerContext, periodMs: number): Effects {
  const { client, clock, informers, scheme } = context;
  const { vocabulary } = scheme;
  const invalidSince = vocabulary.key('', 'legacy-token-invalid-since');
  const system = vocabulary.namespaces.system;
  const tokens = informers.of(secrets, scopeOf(context)).store;
  const accounts = informers.of(serviceAccounts).store;
  const tracking = informers.of(configMaps, trackingScope(context)).store;
  const podInformer = informers.of(pods);
  podInformer.index('secret', keysOfPod);

  const accountName = (secret: DeepReadonly<Secret> | undefined): string =>
    secret?.metadata?.annotations?.[vocabulary.serviceAccountName] ?? '';

  const judged = (reading: Reading): JudgedToken => {
    const token = observe(reading, vocabulary, invalidSince);
    return { token, verdict: judge(token, periodMs) };
  };

  return {
    observe: async ({ key }: { readonly key: string }) => {
      const { namespace } = splitKey(key);
      const secret = tokens.get(key);
      return judged({
        nowMs: clock.now(),
        secret,
        account: accounts.get(`${namespace}/${accountName(secret)}`),
        tracking: tracking.get(`${system}/${trackingName(vocabulary)}`),
        inUse: podInformer.store.byIndex('secret', key).length > 0,
      });
    },

    confirm: async ({ key }: { readonly key: string }, signal) => {
      const { namespace, name } = splitKey(key);
      const options = { signal };
      const dated = await client.namespaced(secrets, namespace).getDated(name, options).catch(unlessNotFound);
      const [account, map, running] = await Promise.all([
        client
          .namespaced(serviceAccounts, namespace)
          .get(accountName(dated?.object), options)
          .catch(unlessNotFound),
        client.namespaced(configMaps, system).get(trackingName(vocabulary), options).catch(unlessNotFound),
        client.namespaced(pods, namespace).list(options),
      ]);
      return judged({
        nowMs: dated?.serverMs ?? 0,
        secret: dated?.object,
        account,
        tracking: map,
        inUse: running.items.some((pod) => podSecretNames(pod).includes(name)),
      });
    },

    async mark({ key, uid, resourceVersion }: TokenInput, signal): Promise<Written> {
      const { namespace, name } = splitKey(key);
      const own = client.namespaced(secrets, namespace);
      const { serverMs } = await own.getDated(name, { signal });
      const labels = { [invalidSince]: new Date(serverMs).toISOString().slice(0, 10) };
      return own
        .patch(name, 'merge', { metadata: { uid, resourceVersion, labels } }, { signal })
        .then(() => 'done' as const, ifChanged);
    },

    deleteSecret: ({ key, ...preconditions }: TokenInput, signal): Promise<Written> => {
      const { namespace, name } = splitKey(key);
      return client
        .namespaced(secrets, namespace)
        .delete(name, { preconditions, signal })
        .then(() => 'done' as const, ifChanged);
    },
  };
}

function ifChanged(thrown: unknown): Written {
  if (isConflict(thrown) || isNotFound(thrown)) return 'changed';
  throw thrown;
}

function observe(
  { nowMs, secret, account, tracking, inUse }: Reading,
  vocabulary: Vocabulary,
  invalidSince: string,
): ObservedLegacyToken | null {
  const { uid, resourceVersion, name, labels, annotations, deletionTimestamp } = secret?.metadata ?? {};
  if (uid === undefined || resourceVersion === undefined || deletionTimestamp !== undefined) return null;
  return {
    nowMs,
    uid,
    resourceVersion,
    createdMs: fromTime(secret?.metadata?.creationTimestamp) ?? nowMs,
    trackedSinceMs: dateMs(tracking?.data?.['since']),
    generated:
      account !== undefined &&
      annotations?.[vocabulary.serviceAccountUid] === account.metadata?.uid &&
      (account.secrets ?? []).some((each) => each.name === name),
    inUse,
    lastUsedMs: dateMs(labels?.[vocabulary.key('', 'legacy-token-last-used')]),
    invalidSinceMs: dateMs(labels?.[invalidSince]),
  };
}
