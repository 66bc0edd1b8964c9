import { persistentVolumes } from '../../api/groups/index.ts';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import { isNotFound } from '../../api/status/index.ts';
import type { PersistentVolume } from '../../api/types/core-v1-persistent-volume.ts';
import {
  type ObservedProtected,
  type ProtectInput,
  pvProtectionMachine,
} from '../../machines/protection/protection.ts';
import { type ControllerContext, type Effects, watch } from '../../runtime/index.ts';
import { implement } from '../implement.ts';
import { pvProtectionManifest } from './manifest.ts';

/** Retains a PersistentVolume that is being deleted for as long as it is bound to a PersistentVolumeClaim. */
export const pvProtectionController = implement(pvProtectionManifest, {
  machine: pvProtectionMachine,
  watches: () => [watch(persistentVolumes)],
  effects: createEffects,
});

const isBound = ({ status }: DeepReadonly<PersistentVolume>): boolean => status?.phase === 'Bound';

function createEffects({ client, informers, scheme }: ControllerContext): Effects {
  const finalizer = scheme.vocabulary.key('', 'pv-protection');
  const store = informers.of(persistentVolumes).store;
  const volumes = client.cluster(persistentVolumes);
  return {
    observe: async ({ key }: { key: string }): Promise<ObservedProtected | null> => {
      const volume = store.get(key);
      if (!volume?.metadata?.uid) return null;
      const { uid, resourceVersion = '', deletionTimestamp, finalizers = [] } = volume.metadata;
      return {
        uid,
        resourceVersion,
        deleting: deletionTimestamp !== undefined,
        isProtected: finalizers.includes(finalizer),
        inUse: isBound(volume),
      };
    },

    isUsed: async ({ key }: { key: string }, signal: AbortSignal): Promise<boolean> => {
      try {
        return isBound(await volumes.get(key, { signal }));
      } catch (thrown) {
        if (isNotFound(thrown)) return false;
        throw thrown;
      }
    },

    protect: async (
      { key, uid, resourceVersion, isProtected }: ProtectInput,
      signal: AbortSignal,
    ): Promise<void> => {
      const volume = store.get(key);
      if (volume === undefined) return;
      if (volume.metadata?.uid !== uid) throw new Error(`persistent volume ${key} has been replaced`);
      const others = (volume.metadata.finalizers ?? []).filter((each) => each !== finalizer);
      const finalizers = isProtected ? [...others, finalizer] : others;
      const next = { ...volume, metadata: { ...volume.metadata, resourceVersion, finalizers } };
      try {
        await volumes.update(next, { signal });
      } catch (thrown) {
        if (!isNotFound(thrown)) throw thrown;
      }
    },
  };
}
