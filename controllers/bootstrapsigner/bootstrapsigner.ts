import { configMaps, secrets } from '../../api/groups/core-v1.ts';
import { type DeepReadonly, splitKey } from '../../api/kinds/index.ts';
import type { ConfigMap, Secret } from '../../api/types/core-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import {
  type ObservedClusterInfo,
  type SignInput,
  bootstrapSignerMachine,
} from '../../machines/bootstrapsigner/bootstrap-signer.ts';
import { type ControllerContext, type Effects, watch } from '../../runtime/index.ts';
import { unlessNotFound } from '../absence.ts';
import { implement } from '../implement.ts';
import { detachedSignature, signingToken } from './token.ts';
import { bootstrapSignerManifest } from './manifest.ts';

const CLUSTER_INFO = 'cluster-info';
const SIGNATURE_PREFIX = 'jws-kubeconfig-';

const infoScope = ({ scheme }: ControllerContext) => ({
  namespace: scheme.vocabulary.namespaces.public,
  fieldSelector: `metadata.name=${CLUSTER_INFO}`,
});
const tokenScope = ({ scheme: { vocabulary } }: ControllerContext) => ({
  namespace: vocabulary.namespaces.system,
  fieldSelector: `type=${vocabulary.secretTypes.bootstrapToken}`,
});

/**
 * Signs the cluster-info ConfigMap with every bootstrap token that has the usage `signing`:
 * https://kubernetes.io/docs/reference/access-authn-authz/bootstrap-tokens/#configmap-signing
 */
export const bootstrapSignerController = implement(bootstrapSignerManifest, {
  machine: bootstrapSignerMachine,
  watches: (context) => [
    watch(configMaps, infoScope(context)),
    watch(secrets, {
      ...tokenScope(context),
      keys: () => [`${context.scheme.vocabulary.namespaces.public}/${CLUSTER_INFO}`],
    }),
  ],
  effects: createEffects,
});

function createEffects(context: ControllerContext): Effects {
  const { client, informers, scheme } = context;
  const { vocabulary } = scheme;
  const infos = informers.of(configMaps, infoScope(context)).store;
  const tokens = informers.of(secrets, tokenScope(context)).store;
  const { namespace: tokenNamespace, fieldSelector } = tokenScope(context);
  return {
    observe: async ({ key }: { readonly key: string }) =>
      observed(infos.get(key), tokens.list(), client.serverClock.now(), vocabulary),

    async confirm({ key }: { readonly key: string }, signal: AbortSignal) {
      const { namespace, name } = splitKey(key);
      const info = await client.namespaced(configMaps, namespace).get(name, { signal }).catch(unlessNotFound);
      if (info === undefined) return null;
      // The tokens are read after the ConfigMap. If another writer had newer tokens, it has written the
      // ConfigMap since, and this write conflicts.
      const { items } = await client.namespaced(secrets, tokenNamespace).list({ fieldSelector, signal });
      // The time is that of the second response, because a token may have expired between the two responses.
      return observed(info, items, client.serverClock.now(), vocabulary);
    },

    sign: async ({ wanted }: SignInput, signal: AbortSignal): Promise<void> => {
      await client.namespaced(configMaps, wanted.metadata?.namespace ?? '').update(wanted, { signal });
    },
  };
}

/**
 * Returns the desired signatures of `info` by all tokens that are valid at the API server's time, or null
 * without a payload to sign.
 */
function observed(
  info: DeepReadonly<ConfigMap> | undefined,
  tokens: readonly DeepReadonly<Secret>[],
  nowMs: number,
  vocabulary: Vocabulary,
): ObservedClusterInfo | null {
  const payload = info?.data?.['kubeconfig'];
  if (!info?.metadata?.uid || payload === undefined) return null;
  const valid = tokens
    .flatMap((secret) => signingToken(secret, vocabulary) ?? [])
    .filter((token) => token.expiresAtMs === undefined || token.expiresAtMs > nowMs);
  const signatures = Object.fromEntries(
    valid.map((token) => [SIGNATURE_PREFIX + token.id, detachedSignature(payload, token, vocabulary)]),
  );
  const others = Object.entries(info.data ?? {}).filter(([name]) => !name.startsWith(SIGNATURE_PREFIX));
  const expiries = valid.flatMap((token) => token.expiresAtMs ?? []);
  return {
    wanted: hasSignatures(info, signatures)
      ? null
      : { ...info, data: { ...Object.fromEntries(others), ...signatures } },
    expiresInMs: expiries.length === 0 ? undefined : Math.min(...expiries) - nowMs,
  };
}

function hasSignatures(info: DeepReadonly<ConfigMap>, wanted: { readonly [key: string]: string }): boolean {
  const present = Object.entries(info.data ?? {}).filter(([name]) => name.startsWith(SIGNATURE_PREFIX));
  return (
    present.length === Object.keys(wanted).length &&
    present.every(([name, signature]) => wanted[name] === signature)
  );
}
