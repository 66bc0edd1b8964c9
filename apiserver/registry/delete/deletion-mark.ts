import {
  type ApiObject,
  type DeepReadonly,
  type KindPolicy,
  nextGeneration,
} from '../../../api/kinds/index.ts';
import { namespaceLifecycle } from '../../../api/lifecycles/index.ts';
import type { ObjectMeta } from '../../../api/types/meta-v1.ts';
import { fromTime, toTime } from '../../../base/clock/index.ts';
import type { DeleteParameters } from '../registry.ts';
import type { Int64 } from '../../../api/schema/index.ts';

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

/**
 * Effect of a delete request on an object:
 *
 * - `pending`: none, the object is already being deleted
 * - `keep`: the object is marked, and stays until its finalizers are released or its grace period ends
 * - `remove`: no finalizer or grace period keeps the object
 *
 * With `remove`, `object` is the last state, to be written before the removal so that watchers receive the
 * deletion time. It is undefined if nothing needs to be written.
 */
export type Marked =
  | { readonly outcome: 'pending' }
  | { readonly outcome: 'keep'; readonly object: ApiObject }
  | { readonly outcome: 'remove'; readonly object: ApiObject | undefined };

export type DeleteOptions = Pick<DeleteParameters, 'gracePeriodSeconds' | 'propagationPolicy'>;
export type Previous = DeepReadonly<ApiObject>;

/**
 * Marks an object of any kind for deletion. Namespaces and CustomResourceDefinitions use this function only
 * once they have a deletion time
 * (https://github.com/kubernetes/kubernetes/blob/release-1.24/staging/src/k8s.io/apiserver/pkg/registry/rest/delete.go,
 * `BeforeDelete`).
 */
export function mark(policy: KindPolicy, previous: Previous, options: DeleteOptions, nowMs: number): Marked {
  const grace = policy.deletion === 'pod' ? gracefully(previous, options, nowMs) : undefined;
  if (grace === 'pending') return { outcome: 'pending' };
  const finalizers = finalizersFor(policy, previous.metadata?.finalizers ?? [], options);
  const changed = grace ? withMetadata(previous, grace) : previous;
  if (finalizers.length > 0) {
    const meta = { ...withFinalizers(finalizers), ...(grace ? {} : markedNow(previous, nowMs)) };
    return { outcome: 'keep', object: withMetadata(changed, meta) };
  }
  const marked = withMetadata(changed, withFinalizers(finalizers));
  if (grace && (grace.deletionGracePeriodSeconds ?? 0) > 0) return { outcome: 'keep', object: marked };
  return { outcome: 'remove', object: grace ? marked : undefined };
}

/**
 * Marks a namespace for deletion. The namespace controller deletes the contents; the namespace is removed
 * when both its finalizer lists are empty.
 */
export function markNamespace(
  policy: KindPolicy,
  previous: Previous,
  options: DeleteOptions,
  nowMs: number,
): Marked {
  const { deletionTimestamp, finalizers = [] } = previous.metadata ?? {};
  if (deletionTimestamp === undefined) {
    const meta: ObjectMeta = {
      deletionTimestamp: toTime(nowMs),
      ...withFinalizers(finalizersFor(policy, finalizers, options)),
    };
    const marked = withMetadata(previous, meta);
    const phase = namespaceLifecycle.stateOf(marked);
    const status = { ...(previous as { readonly status?: object }).status, phase };
    const object: ApiObject & { status: object } = { ...marked, status };
    return { outcome: 'keep', object };
  }
  const { spec } = previous as { readonly spec?: { readonly finalizers?: readonly string[] } };
  if ((spec?.finalizers ?? []).length > 0) return { outcome: 'pending' };
  return mark(policy, previous, options, nowMs);
}

/** Returns the grace period for a pod on a node. A later request may shorten it, never extend it. */
function gracefully(
  previous: Previous,
  options: DeleteOptions,
  nowMs: number,
): ObjectMeta | 'pending' | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, generation = 0 } = previous.metadata ?? {};
  const requested =
    options.gracePeriodSeconds === undefined ? undefined : atLeastOne(options.gracePeriodSeconds);
  if (deletionTimestamp !== undefined) {
    if (deletionGracePeriodSeconds === 0) return undefined;
    if (requested === undefined || requested >= deletionGracePeriodSeconds) return 'pending';
    const requestedMs = (fromTime(deletionTimestamp) ?? nowMs) - millisecondsOf(deletionGracePeriodSeconds);
    const dueMs = requestedMs + millisecondsOf(requested);
    return { deletionTimestamp: toTime(dueMs), deletionGracePeriodSeconds: requested };
  }
  const seconds = podGraceSeconds(previous, requested);
  return {
    deletionTimestamp: toTime(nowMs + millisecondsOf(seconds)),
    deletionGracePeriodSeconds: seconds,
    ...(generation > 0 ? { generation: nextGeneration(generation) } : {}),
  };
}

/** Returns at least one second: upstream treats a negative period as one second. */
const atLeastOne = (seconds: Int64): Int64 => (seconds < 0 ? 1 : seconds);

/**
 * Converts seconds to milliseconds. Upstream counts nanoseconds in 64 bits, so periods of more than 292 years
 * wrap around.
 */
const millisecondsOf = (seconds: Int64): number =>
  Number(BigInt.asIntN(64, BigInt(seconds) * 1_000_000_000n) / 1_000_000n);

function podGraceSeconds(previous: Previous, requested: Int64 | undefined): Int64 {
  const { spec, status } = previous as {
    readonly spec?: { readonly nodeName?: string; readonly terminationGracePeriodSeconds?: Int64 };
    readonly status?: { readonly phase?: string };
  };
  if (!spec?.nodeName || status?.phase === 'Failed' || status?.phase === 'Succeeded') return 0;
  return atLeastOne(requested ?? spec.terminationGracePeriodSeconds ?? 0);
}

/**
 * Returns the deletion time for an object that only finalizers keep. A deletion time in the past is
 * preserved.
 */
function markedNow(previous: Previous, nowMs: number): ObjectMeta {
  const { deletionTimestamp, generation = 0 } = previous.metadata ?? {};
  const dueMs = fromTime(deletionTimestamp);
  return {
    deletionTimestamp: dueMs === undefined || dueMs > nowMs ? toTime(nowMs) : (deletionTimestamp ?? ''),
    deletionGracePeriodSeconds: 0,
    ...(dueMs === undefined && generation > 0 ? { generation: nextGeneration(generation) } : {}),
  };
}

/** Returns the finalizers after the request has added or removed those of the garbage collector. */
function finalizersFor(
  policy: KindPolicy,
  finalizers: readonly string[],
  options: DeleteOptions,
): readonly string[] {
  const own = collectorFinalizer(policy, finalizers, options);
  if (own !== undefined && finalizers.includes(own) && !finalizers.includes(other(own))) return finalizers;
  const others = finalizers.filter((each) => each !== ORPHAN && each !== FOREGROUND);
  return own === undefined ? others : [...others, own];
}

const other = (finalizer: string): string => (finalizer === ORPHAN ? FOREGROUND : ORPHAN);

/**
 * Returns the garbage collector's finalizer, or undefined if the object needs none. The request takes
 * precedence over the object's finalizers, and these over the kind's default.
 */
function collectorFinalizer(
  policy: KindPolicy,
  finalizers: readonly string[],
  options: DeleteOptions,
): string | undefined {
  if (policy.dependents === 'none') return undefined;
  if (options.propagationPolicy === 'Orphan') return ORPHAN;
  if (options.propagationPolicy === 'Foreground') return FOREGROUND;
  if (options.propagationPolicy === 'Background') return undefined;
  const found = finalizers.find((each) => each === ORPHAN || each === FOREGROUND);
  return found ?? (policy.dependents === 'orphan' ? ORPHAN : undefined);
}

const withFinalizers = (finalizers: readonly string[]): ObjectMeta => ({ finalizers: [...finalizers] });

/** Returns a copy of `previous` with the metadata fields in `meta` replaced. */
export const withMetadata = (previous: Previous, meta: ObjectMeta): ApiObject =>
  ({ ...previous, metadata: { ...previous.metadata, ...meta } }) as ApiObject;
