import type { Pod, Toleration } from '../../api/types/core-v1-pod.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { AdmissionPlugin } from '../request.ts';
import { coreKind, isCore } from './rejection.ts';

const DEFAULT_SECONDS = 300;

/**
 * True if the toleration has the key and the effect NoExecute. A missing key or effect matches every key or
 * effect.
 */
const tolerates = (toleration: Toleration, key: string): boolean =>
  (!toleration.key || toleration.key === key) && (!toleration.effect || toleration.effect === 'NoExecute');

/** Seconds for which a pod stays on a node that is not ready or unreachable. Both defaults are 300. */
export interface TolerationSeconds {
  readonly notReadySeconds?: number;
  readonly unreachableSeconds?: number;
}

/**
 * Creates a plugin that adds tolerations to pods. They limit how long a pod stays on a node that is not ready
 * or unreachable.
 */
export function createDefaultTolerationSeconds(
  options: TolerationSeconds & { readonly vocabulary: Vocabulary },
): AdmissionPlugin {
  const { vocabulary, notReadySeconds = DEFAULT_SECONDS, unreachableSeconds = DEFAULT_SECONDS } = options;
  const defaults = [
    { key: vocabulary.key('node', 'not-ready'), tolerationSeconds: notReadySeconds },
    { key: vocabulary.key('node', 'unreachable'), tolerationSeconds: unreachableSeconds },
  ];
  return {
    name: 'DefaultTolerationSeconds',
    operations: ['CREATE', 'UPDATE'],
    concerns: coreKind('pods'),
    async mutate(request) {
      const spec = (request.object as Pod | undefined)?.spec;
      if (!isCore(request, 'pods') || spec === undefined) return;
      const existing = spec.tolerations ?? [];
      const added = defaults
        .filter(({ key }) => !existing.some((toleration) => tolerates(toleration, key)))
        .map(({ key, tolerationSeconds }): Toleration => ({
          key,
          tolerationSeconds,
          operator: 'Exists',
          effect: 'NoExecute',
        }));
      if (added.length > 0) spec.tolerations = [...existing, ...added];
    },
  };
}
