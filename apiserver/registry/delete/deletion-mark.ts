import type { ApiObject, DeepReadonly } from '../../../api/kinds/kind.ts';
import type { ObjectMeta } from '../../../api/types/meta-v1.ts';
import { fromTime, toTime } from '../../../base/clock/clock.ts';
import type { KindPolicy } from '../../../api/kinds/policy.ts';
import type { DeleteParameters } from '../registry.ts';
import { nextGeneration } from '../../../api/kinds/generation.ts';
import type { Int64 } from '../../../api/schema/exact-json.ts';

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

/**
 * Effect of a delete request on an object:
 * - `pending`: none, the object is being deleted already
 * - `keep`: the object is marked, and stays until its finalizers are released or its grace period ends
 * - `remove`: nothing keeps the object. `object` is its last state, to be written before the object is removed so that
 *   watchers see the mark; undefined if the stored state is the last one
 */
export type Marked =
  | { readonly outcome: 'pending' }
  | { readonly outcome: 'keep'; readonly object: ApiObject }
  | { readonly outcome: 'remove'; readonly object: ApiObject | undefined };

export type Wish = Pick<DeleteParameters, 'gracePeriodSeconds' | 'propagationPolicy'>;
export type Previous = DeepReadonly<ApiObject>;

/** Deletion of any kind but Namespace (release 1.24, `Store.Delete` and `BeforeDelete`). */
export function mark(policy: KindPolicy, previous: Previous, wish: Wish, nowMs: number): Marked {
  const grace = policy.deletion === 'pod' ? gracefully(previous, wish, nowMs) : undefined;
  if (grace === 'pending') return { outcome: 'pending' };
  const finalizers = finalizersFor(policy, previous.metadata?.finalizers ?? [], wish);
  const changed = grace ? withMetadata(previous, grace) : previous;
  if (finalizers.length > 0) {
    const meta = { ...withFinalizers(finalizers), ...(grace ? {} : markedNow(previous, nowMs)) };
    return { outcome: 'keep', object: withMetadata(changed, meta) };
  }
  const marked = withMetadata(changed, withFinalizers(finalizers));
  if (grace && (grace.deletionGracePeriodSeconds ?? 0) > 0) return { outcome: 'keep', object: marked };
  return { outcome: 'remove', object: grace ? marked : undefined };
}

/** A namespace is marked first and emptied by its controller; it goes when both its finalizer lists are empty. */
export function markNamespace(policy: KindPolicy, previous: Previous, wish: Wish, nowMs: number): Marked {
  const { deletionTimestamp, finalizers = [] } = previous.metadata ?? {};
  if (deletionTimestamp === undefined) {
    const meta: ObjectMeta = {
      deletionTimestamp: toTime(nowMs),
      ...withFinalizers(finalizersFor(policy, finalizers, wish)),
    };
    const status = { ...(previous as { readonly status?: object }).status, phase: 'Terminating' };
    const object: ApiObject & { status: object } = { ...withMetadata(previous, meta), status };
    return { outcome: 'keep', object };
  }
  const { spec } = previous as { readonly spec?: { readonly finalizers?: readonly string[] } };
  if ((spec?.finalizers ?? []).length > 0) return { outcome: 'pending' };
  return mark(policy, previous, wish, nowMs);
}

/** A pod on a node is given time to end; a later request may shorten it, never lengthen it. */
function gracefully(previous: Previous, wish: Wish, nowMs: number): ObjectMeta | 'pending' | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, generation = 0 } = previous.metadata ?? {};
  const wished = wish.gracePeriodSeconds === undefined ? undefined : atLeastOne(wish.gracePeriodSeconds);
  if (deletionTimestamp !== undefined) {
    if (deletionGracePeriodSeconds === 0) return undefined;
    if (wished === undefined || wished >= deletionGracePeriodSeconds) return 'pending';
    const askedMs = (fromTime(deletionTimestamp) ?? nowMs) - millisecondsOf(deletionGracePeriodSeconds);
    const dueMs = askedMs + millisecondsOf(wished);
    return { deletionTimestamp: toTime(dueMs), deletionGracePeriodSeconds: wished };
  }
  const seconds = podGraceSeconds(previous, wished);
  return {
    deletionTimestamp: toTime(nowMs + millisecondsOf(seconds)),
    deletionGracePeriodSeconds: seconds,
    ...(generation > 0 ? { generation: nextGeneration(generation) } : {}),
  };
}

/** Upstream reads a negative period as one second. */
const atLeastOne = (seconds: Int64): Int64 => (seconds < 0 ? 1 : seconds);

/** Upstream counts nanoseconds in 64 bits: what has no room there comes out as anything within 292 years. */
const millisecondsOf = (seconds: Int64): number =>
  Number(BigInt.asIntN(64, BigInt(seconds) * 1_000_000_000n) / 1_000_000n);

function podGraceSeconds(previous: Previous, wished: Int64 | undefined): Int64 {
  const { spec, status } = previous as {
    readonly spec?: { readonly nodeName?: string; readonly terminationGracePeriodSeconds?: Int64 };
    readonly status?: { readonly phase?: string };
  };
  if (!spec?.nodeName || status?.phase === 'Failed' || status?.phase === 'Succeeded') return 0;
  return atLeastOne(wished ?? spec.terminationGracePeriodSeconds ?? 0);
}

/** Marks an object that only finalizers keep; the time of an earlier request stays. */
function markedNow(previous: Previous, nowMs: number): ObjectMeta {
  const { deletionTimestamp, generation = 0 } = previous.metadata ?? {};
  const dueMs = fromTime(deletionTimestamp);
  return {
    deletionTimestamp: dueMs === undefined || dueMs > nowMs ? toTime(nowMs) : (deletionTimestamp ?? ''),
    deletionGracePeriodSeconds: 0,
    ...(dueMs === undefined && generation > 0 ? { generation: nextGeneration(generation) } : {}),
  };
}

/** The finalizers with those for garbage collection put in or taken out as the request says. */
function finalizersFor(policy: KindPolicy, finalizers: readonly string[], wish: Wish): readonly string[] {
  const own = collectorFinalizer(policy, finalizers, wish);
  if (own !== undefined && finalizers.includes(own) && !finalizers.includes(other(own))) return finalizers;
  const others = finalizers.filter((each) => each !== ORPHAN && each !== FOREGROUND);
  return own === undefined ? others : [...others, own];
}

const other = (finalizer: string): string => (finalizer === ORPHAN ? FOREGROUND : ORPHAN);

/** What the request says goes before what the object says, and that before what the kind says. */
function collectorFinalizer(
  policy: KindPolicy,
  finalizers: readonly string[],
  wish: Wish,
): string | undefined {
  if (policy.dependents === 'none') return undefined;
  if (wish.propagationPolicy === 'Orphan') return ORPHAN;
  if (wish.propagationPolicy === 'Foreground') return FOREGROUND;
  if (wish.propagationPolicy === 'Background') return undefined;
  const found = finalizers.find((each) => each === ORPHAN || each === FOREGROUND);
  return found ?? (policy.dependents === 'orphan' ? ORPHAN : undefined);
}

const withFinalizers = (finalizers: readonly string[]): ObjectMeta => ({ finalizers: [...finalizers] });

export const withMetadata = (previous: Previous, meta: ObjectMeta): ApiObject =>
  ({ ...previous, metadata: { ...previous.metadata, ...meta } }) as ApiObject;
