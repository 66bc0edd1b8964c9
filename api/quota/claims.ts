import type { DeepReadonly } from '../kinds/kind.ts';
import { type Quantity, parseQuantity, quantityOf, quantityValue } from '../quantity/quantity.ts';
import type { PersistentVolumeClaim } from '../types/core-v1-persistent-volume.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';
import type { QuotaEvaluator } from './kind-evaluator.ts';
import type { ResourceList } from './resource-list.ts';

const COUNT = 'count/persistentvolumeclaims';
const CLAIMS = 'persistentvolumeclaims';
const STORAGE = 'requests.storage';

/** Rounds a quantity up to whole bytes, because quotas count whole bytes. */
const wholeBytes = (text: string): Quantity => {
  const amount = parseQuantity(text);
  return quantityOf(quantityValue(amount), amount.format);
};

/** Returns the evaluator of PersistentVolumeClaims. */
export function claimEvaluator(vocabulary: Vocabulary): QuotaEvaluator {
  const infix = `.storageclass.${vocabulary.group('storage')}/`;
  const classAnnotation = vocabulary.key('volume.beta', 'storage-class');
  return {
    // The requested size of a claim may grow.
    countsUpdates: true,
    matchingResources: (given) =>
      [...given].filter(
        (name) =>
          [COUNT, CLAIMS, STORAGE].includes(name) ||
          name.endsWith(infix + CLAIMS) ||
          name.endsWith(infix + STORAGE),
      ),
    matchesScope: () => false,
    hasScopes: false,
    missing: () => undefined,
    usage(object): ResourceList {
      const { metadata, spec } = object as DeepReadonly<PersistentVolumeClaim>;
      const storageClass = metadata?.annotations?.[classAnnotation] ?? spec?.storageClassName ?? '';
      const usage = new Map([
        [CLAIMS, quantityOf(1)],
        [COUNT, quantityOf(1)],
      ]);
      if (storageClass !== '') usage.set(storageClass + infix + CLAIMS, quantityOf(1));
      const requested = spec?.resources?.requests?.['storage'];
      if (requested === undefined) return usage;
      usage.set(STORAGE, wholeBytes(requested));
      if (storageClass !== '') usage.set(storageClass + infix + STORAGE, wholeBytes(requested));
      return usage;
    },
  };
}
