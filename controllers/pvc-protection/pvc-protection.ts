import { persistentVolumeClaims, pods } from '../../api/groups/index.ts';
import { type DeepReadonly, splitKey } from '../../api/kinds/index.ts';
import { isNotFound } from '../../api/status/index.ts';
import type { PersistentVolumeClaim } from '../../api/types/core-v1-persistent-volume.ts';
import {
  type ObservedProtected,
  type ProtectInput,
  pvcProtectionMachine,
} from '../../machines/protection/protection.ts';
import { type ControllerContext, type Effects, watch } from '../../runtime/index.ts';
import { implement } from '../implement.ts';
import { claimKeys, usesClaim } from './usage.ts';
import { pvcProtectionManifest } from './manifest.ts';

const BY_CLAIM = 'claim';

/** Retains a PersistentVolumeClaim that is being deleted for as long as a pod uses it. */
export const pvcProtectionController = implement(pvcProtectionManifest, {
  machine: pvcProtectionMachine,
  watches: () => [
    watch(persistentVolumeClaims),
    watch(pods, {
      keys: (pod, previous) => [...new Set([...claimKeys(pod), ...(previous ? claimKeys(previous) : [])])],
    }),
  ],
  effects: createEffects,
});

function createEffects({ client, informers, scheme }: ControllerContext): Effects {
  const finalizer = scheme.vocabulary.key('', 'pvc-protection');
  const claims = informers.of(persistentVolumeClaims).store;
  const podInformer = informers.of(pods);
  podInformer.index(BY_CLAIM, claimKeys);
  const at = (key: string) => {
    const { namespace, name } = splitKey(key);
    return { namespace, name, claims: client.namespaced(persistentVolumeClaims, namespace) };
  };
  return {
    observe: async ({ key }: { key: string }): Promise<ObservedProtected | null> => {
      const claim = claims.get(key);
      if (!claim?.metadata?.uid) return null;
      const { uid, resourceVersion = '', deletionTimestamp, finalizers = [] } = claim.metadata;
      return {
        uid,
        resourceVersion,
        deleting: deletionTimestamp !== undefined,
        isProtected: finalizers.includes(finalizer),
        inUse: podInformer.store.byIndex(BY_CLAIM, key).some((pod) => usesClaim(pod, claim)),
      };
    },

    isUsed: async ({ key }: { key: string }, signal: AbortSignal): Promise<boolean> => {
      const { namespace } = at(key);
      const claim: DeepReadonly<PersistentVolumeClaim> | undefined = claims.get(key);
      if (claim === undefined) return false;
      const { items } = await client.namespaced(pods, namespace).list({ signal });
      return items.some((pod) => usesClaim(pod, claim));
    },

    protect: async (
      { key, uid, resourceVersion, isProtected }: ProtectInput,
      signal: AbortSignal,
    ): Promise<void> => {
      const claim = claims.get(key);
      if (claim === undefined) return;
      if (claim.metadata?.uid !== uid) throw new Error(`persistent volume claim ${key} has been replaced`);
      const others = (claim.metadata.finalizers ?? []).filter((each) => each !== finalizer);
      const finalizers = isProtected ? [...others, finalizer] : others;
      const next = { ...claim, metadata: { ...claim.metadata, resourceVersion, finalizers } };
      try {
        await at(key).claims.update(next, { signal });
      } catch (thrown) {
        if (!isNotFound(thrown)) throw thrown;
      }
    },
  };
}
