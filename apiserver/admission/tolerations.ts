import type { DeepReadonly } from '../../api/kinds/index.ts';
import { spend } from '../../base/budget/index.ts';
import type { Toleration } from '../../api/types/core-v1-pod.ts';

type Frozen = DeepReadonly<Toleration>;

/** Work units for the comparison of two tolerations. */
const PAIR_WORK = 0.15;

const isSame = (a: Frozen, b: Frozen): boolean =>
  (['key', 'operator', 'value', 'effect'] as const).every((field) => (a[field] ?? '') === (b[field] ?? '')) &&
  a.tolerationSeconds === b.tolerationSeconds;

/**
 * True if `wide` tolerates every taint that `narrow` tolerates
 * (https://github.com/kubernetes/kubernetes/blob/v1.24.0/pkg/util/tolerations/tolerations.go, `isSuperset`).
 */
function includes(wide: Frozen, narrow: Frozen): boolean {
  spend(PAIR_WORK);
  if (isSame(wide, narrow)) return true;
  const everyKey = !wide.key && wide.operator === 'Exists';
  if ((narrow.key ?? '') !== (wide.key ?? '') && !everyKey) return false;
  if (wide.effect && narrow.effect !== wide.effect) return false;
  if (wide.effect === 'NoExecute' && wide.tolerationSeconds !== undefined) {
    const { tolerationSeconds } = narrow;
    if (tolerationSeconds === undefined || tolerationSeconds > wide.tolerationSeconds) return false;
  }
  if (wide.operator === 'Exists') return true;
  return narrow.operator === 'Equal' && (narrow.value ?? '') === (wide.value ?? '');
}

/**
 * Merges two lists and omits tolerations that another toleration includes. Of equal tolerations, the first is
 * kept.
 */
export function mergeTolerations(
  first: readonly Frozen[] = [],
  second: readonly Frozen[] = [],
): Toleration[] {
  const all = [...first, ...second];
  const merged: Frozen[] = [];
  for (const [at, each] of all.entries()) {
    const isRedundant =
      merged.some((other) => includes(other, each)) ||
      all.slice(at + 1).some((other) => !isSame(each, other) && includes(other, each));
    if (!isRedundant) merged.push(each);
  }
  return merged.map((each) => ({ ...each }));
}

/** True if an allowed toleration includes each toleration. An empty `allowed` allows every toleration. */
export const areAllowed = (tolerations: readonly Frozen[], allowed: readonly Frozen[]): boolean =>
  allowed.length === 0 || tolerations.every((each) => allowed.some((other) => includes(other, each)));
