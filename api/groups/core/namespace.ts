import { carryOver } from '../../kinds/carry-over.ts';
import { namespaceLifecycle } from '../../lifecycles/namespace.ts';
import { ageColumn, column, nameColumn } from '../../kinds/columns.ts';
import type { Column, DeepReadonly, ObjectSubresource, Strategy } from '../../kinds/kind.ts';
import { type FieldErrors, index, invalidField } from '../../status/field-errors.ts';
import type { Namespace } from '../../types/core-v1.ts';
import { validateFinalizerName } from '../../validation/metadata.ts';
import type { Vocabulary } from '../../vocabulary/vocabulary.ts';

/** Adds a label with the name of the namespace, so that selectors can match the name. */
function labelWithName(namespace: Namespace, vocabulary: Vocabulary): void {
  const name = namespace.metadata?.name;
  if (!name) return;
  const labels = { ...namespace.metadata?.labels, [vocabulary.namespaceNameLabel]: name };
  namespace.metadata = { ...namespace.metadata, labels };
}

/** Validates finalizers. `numbered` adds the list index to error paths. */
const validateFinalizers = (
  next: DeepReadonly<Namespace>,
  vocabulary: Vocabulary,
  numbered: boolean,
): FieldErrors =>
  (next.spec?.finalizers ?? []).flatMap((finalizer, at) =>
    validateFinalizerName(
      finalizer,
      numbered ? index('spec.finalizers', at) : 'spec.finalizers',
      vocabulary.namespaceFinalizer,
    ),
  );

/** Strategy of Namespaces. */
export const namespaceStrategy: Strategy<Namespace> = {
  defaults(namespace, { vocabulary }) {
    labelWithName(namespace, vocabulary);
    namespace.status = { ...namespace.status, phase: namespace.status?.phase || 'Active' };
  },
  prepareForCreate(next, { vocabulary }) {
    labelWithName(next, vocabulary);
    const own = vocabulary.namespaceFinalizer;
    const finalizers = next.spec?.finalizers ?? [];
    next.spec = { finalizers: finalizers.includes(own) ? finalizers : [...finalizers, own] };
    next.status = { phase: 'Active' };
  },
  prepareForUpdate: (next, previous) => carryOver(next, previous, 'spec', 'status'),
  validate: (next, { vocabulary }) => validateFinalizers(next, vocabulary, false),
};

/** Subresource through which the namespace controller reports the progress of a deletion. */
const status: ObjectSubresource<Namespace> = {
  verbs: ['get', 'patch', 'update'],
  prepareForUpdate: (next, previous) => carryOver(next, previous, 'spec'),
  validateUpdate(next) {
    const expected = namespaceLifecycle.stateOf(next);
    const phase = next.status?.phase ?? '';
    if (phase === expected) return [];
    const when = expected === 'Terminating' ? 'is not empty' : 'is empty';
    return [
      invalidField('status.Phase', phase, `may only be '${expected}' if \`deletionTimestamp\` ${when}`),
    ];
  },
};

/**
 * Subresource that removes finalizers from `spec`. The registry deletes the namespace when no finalizer is
 * left.
 */
const finalize: ObjectSubresource<Namespace> = {
  verbs: ['update'],
  prepareForUpdate: (next, previous) => carryOver(next, previous, 'status'),
  validateUpdate: (next, _previous, { vocabulary }) => validateFinalizers(next, vocabulary, true),
};

/** Subresources of Namespaces. */
export const namespaceSubresources = { status, finalize };

/** Table columns of Namespaces. */
export const namespaceColumns: readonly Column<Namespace>[] = [
  nameColumn,
  column('Status', (namespace) => namespace.status?.phase ?? '', 'The status of the namespace'),
  ageColumn,
];

/** Field selectors of Namespaces. */
export const namespaceFields = {
  'status.phase': (namespace: DeepReadonly<Namespace>) => namespace.status?.phase ?? '',
};
