import { carryOver, sameValue } from '../../kinds/carry-over.ts';
import type { DeepReadonly, ObjectSubresource, VirtualSubresource } from '../../kinds/kind.ts';
import { type FieldError, type FieldErrors, forbiddenField } from '../../status/field-errors.ts';
import type { Pod } from '../../types/core-v1-pod.ts';
import { Binding } from '../../types/core-v1-workload.ts';
import { Eviction } from '../../types/policy-v1.ts';
import { Eviction as EvictionV1beta1 } from '../../types/policy-v1beta1.ts';
import type { Vocabulary } from '../../vocabulary/vocabulary.ts';
import { goDiff } from '../../validation/go-text/diff.ts';
import { validatePodSpec } from '../../validation/pod/spec.ts';

/**
 * Rules for the update of the pod by a binding. There are none, because the handler determines all changes.
 */
const boundPod: ObjectSubresource = { verbs: [], prepareForUpdate: () => {} };

/** Subresource that assigns a pod to a node. */
export const binding: VirtualSubresource = {
  verbs: ['create'],
  group: '',
  version: 'v1',
  kind: 'Binding',
  schema: Binding,
  writes: boundPod,
};

/** Subresource that deletes a pod unless a PodDisruptionBudget forbids it. */
export const eviction: VirtualSubresource = {
  verbs: ['create'],
  group: 'policy',
  version: 'v1',
  kind: 'Eviction',
  schema: Eviction,
  otherVersions: [{ version: 'v1beta1', schema: EvictionV1beta1 }],
};

/**
 * Subresource that adds debugging containers to a running pod. Added containers cannot be changed or removed.
 */
export const ephemeralContainers: ObjectSubresource<Pod> = {
  verbs: ['get', 'patch', 'update'],
  prepareForUpdate(next, previous) {
    const added = next.spec?.ephemeralContainers;
    carryOver(next, previous, 'spec', 'status');
    if (next.spec === undefined) return;
    if (added === undefined) delete next.spec.ephemeralContainers;
    else next.spec.ephemeralContainers = added;
  },
  validateUpdate: (next, previous, { vocabulary }) => validateEphemeral(next, previous, vocabulary),
};

/** Checks the rules of `ValidatePodEphemeralContainersUpdate` in Kubernetes 1.24. */
function validateEphemeral(
  next: DeepReadonly<Pod>,
  previous: DeepReadonly<Pod>,
  vocabulary: Vocabulary,
): FieldErrors {
  const path = 'spec.ephemeralContainers';
  const now = next.spec?.ephemeralContainers ?? [];
  const errors: FieldError[] = validatePodSpec(
    next.spec,
    'spec',
    next.metadata?.name ?? '',
    vocabulary,
  ).filter(({ field }) => field.startsWith(path));
  for (const before of previous.spec?.ephemeralContainers ?? []) {
    const after = now.find(({ name }) => name === before.name);
    if (after === undefined) {
      errors.push(
        forbiddenField(
          path,
          `existing ephemeral containers ${JSON.stringify(before.name)} may not be removed\n`,
        ),
      );
    } else if (!sameValue(after, before)) {
      errors.push(
        forbiddenField(
          path,
          `existing ephemeral containers ${JSON.stringify(before.name)} may not be changed\n${goDiff('core.EphemeralContainer', before, after)}`,
        ),
      );
    }
  }
  return errors;
}
