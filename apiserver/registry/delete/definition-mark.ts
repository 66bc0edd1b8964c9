import type { ApiObject, KindPolicy } from '../../../api/kinds/index.ts';
import type { CustomResourceDefinition } from '../../../api/types/apiextensions-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { toTime } from '../../../base/clock/index.ts';
import { type Marked, type Previous, type DeleteOptions, mark, withMetadata } from './deletion-mark.ts';

/** Returns the finalizer that keeps a CustomResourceDefinition until the objects of its kind are deleted. */
export const cleanupFinalizer = (vocabulary: Vocabulary): string =>
  `customresourcecleanup.${vocabulary.group('apiextensions')}`;

/**
 * Marks a CustomResourceDefinition for deletion. The first request sets the deletion time, the finalizer that
 * keeps the definition until its objects are deleted, and a `Terminating` condition. The generation does not
 * change, and the propagation policy is ignored
 * (https://github.com/kubernetes/kubernetes/blob/release-1.24/staging/src/k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition/etcd.go,
 * `Delete`).
 */
export function markDefinition(
  policy: KindPolicy,
  previous: Previous,
  options: DeleteOptions,
  nowMs: number,
  vocabulary: Vocabulary,
): Marked {
  const { deletionTimestamp, finalizers = [] } = previous.metadata ?? {};
  if (deletionTimestamp !== undefined) return mark(policy, previous, options, nowMs);
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
