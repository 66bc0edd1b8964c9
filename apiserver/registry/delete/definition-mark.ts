import type { ApiObject } from '../../../api/kinds/kind.ts';
import type { CustomResourceDefinition } from '../../../api/types/apiextensions-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { toTime } from '../../../base/clock/clock.ts';
import { type Marked, type Previous, type Wish, mark, withMetadata } from './deletion-mark.ts';
import type { KindPolicy } from '../../../api/kinds/policy.ts';

/** Keeps a definition until the objects of its kind are gone. */
export const cleanupFinalizer = (vocabulary: Vocabulary): string =>
  `customresourcecleanup.${vocabulary.group('apiextensions')}`;

/**
 * Deletion of a CustomResourceDefinition: the first request marks it, gives it the finalizer that keeps it until the objects
 * it defines are gone, and says so in its status; its generation and its dependents are left alone (release 1.24,
 * `REST.Delete`).
 */
export function markDefinition(
  policy: KindPolicy,
  previous: Previous,
  wish: Wish,
  nowMs: number,
  vocabulary: Vocabulary,
): Marked {
  const { deletionTimestamp, finalizers = [] } = previous.metadata ?? {};
  if (deletionTimestamp !== undefined) return mark(policy, previous, wish, nowMs);
  const own = cleanupFinalizer(vocabulary);
  const marked = withMetadata(previous, {
    deletionTimestamp: toTime(nowMs),
    finalizers: finalizers.includes(own) ? [...finalizers] : [...finalizers, own],
  });
  return { outcome: 'keep', object: ending(marked, nowMs) };
}

function ending(object: ApiObject, nowMs: number): ApiObject {
  const { status } = object as CustomResourceDefinition;
  const others = (status?.conditions ?? []).filter(({ type }) => type !== 'Terminating');
  const condition = {
    type: 'Terminating',
    status: 'True',
    lastTransitionTime: toTime(nowMs),
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  };
  const next = { ...status, conditions: [...others, condition] };
  return { ...object, status: next } as ApiObject;
}
