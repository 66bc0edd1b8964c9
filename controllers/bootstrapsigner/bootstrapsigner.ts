import { configMaps, secrets } from '../../api/groups/core-v1.ts';
import type { DeepReadonly } from '../../api/kinds/kind.ts';
import { splitKey } from '../../api/kinds/scheme.ts';
import type { ConfigMap } from '../../api/types/core-v1.ts';
import {
  type ObservedClusterInfo,
  type SignInput,
  bootstrapSignerMachine,
} from '../../machines/bootstrapsigner/bootstrap-signer.ts';
import { type ControllerContext, type Effects, defineController, watch } from '../../runtime/index.ts';
import { detachedSignature, signingToken } from './token.ts';

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

/** Signs the cluster-info ConfigMap with every bootstrap token that may (specification 1, section 2.5). */
export const bootstrapSigner = defineController({
  name: 'bootstrapsigner',
  machine: bootstrapSignerMachine,
  watches: (context) => [
    watch(configMaps, infoScope(context)),
    watch(secrets, {
      ...tokenScope(context),
      keys: () => [`${context.scheme.vocabulary.namespaces.public}/${CLUSTER_INFO}`],
    }),
  ],
  concurrency: 1,
  effects: createEffects,
});

function createEffects(context: ControllerContext): Effects {
  const { client, informers, clock, scheme } = context;
  const infos = informers.of(configMaps, infoScope(context)).store;
  const tokens = informers.of(secrets, tokenScope(context)).store;
  return {
    observe: async ({ key }: { key: string }): Promise<ObservedClusterInfo | null> => {
      const info = infos.get(key);
      const payload = info?.data?.['kubeconfig'];
      if (!info?.metadata?.uid || payload === undefined) return null;
      const nowMs = clock.now();
      const valid = tokens
        .list()
        .flatMap((secret) => signingToken(secret, scheme.vocabulary) ?? [])
        .filter((token) => token.expiresAtMs === undefined || token.expiresAtMs > nowMs);
      const signatures = Object.fromEntries(
        valid.map((token) => [
          SIGNATURE_PREFIX + token.id,
          detachedSignature(payload, token, scheme.vocabulary),
        ]),
      );
      const expiries = valid.flatMap((token) => token.expiresAtMs ?? []);
      return {
        uid: info.metadata.uid,
        resourceVersion: info.metadata.resourceVersion ?? '',
        outdated: !sameSignatures(info, signatures),
        signatures,
        expiresInMs: expiries.length === 0 ? undefined : Math.min(...expiries) - nowMs,
      };
    },

    sign: async (
      { key, uid, resourceVersion, signatures }: SignInput,
      signal: AbortSignal,
    ): Promise<void> => {
      const info = infos.get(key);
      if (info?.metadata?.uid !== uid)
        throw new Error(`configmap ${key} has been replaced since it was observed`);
      const kept = Object.entries(info.data ?? {}).filter(([name]) => !name.startsWith(SIGNATURE_PREFIX));
      await client.namespaced(configMaps, splitKey(key).namespace).update(
        {
          ...info,
          metadata: { ...info.metadata, resourceVersion },
          data: { ...Object.fromEntries(kept), ...signatures },
        },
        { signal },
      );
    },
  };
}

function sameSignatures(info: DeepReadonly<ConfigMap>, wanted: { readonly [key: string]: string }): boolean {
  const there = Object.entries(info.data ?? {}).filter(([name]) => name.startsWith(SIGNATURE_PREFIX));
  return (
    there.length === Object.keys(wanted).length &&
    there.every(([name, signature]) => wanted[name] === signature)
  );
}
