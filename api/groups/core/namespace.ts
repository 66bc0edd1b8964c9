import { carryOver } from '../../kinds/carry-over.ts';
import { ageColumn, column, nameColumn } from '../../kinds/columns.ts';
import type { Column, DeepReadonly, ObjectSubresource, Strategy } from '../../kinds/kind.ts';
import { type FieldErrors, index, invalidField } from '../../status/field-errors.ts';
import type { Namespace } from '../../types/core-v1.ts';
import { validateFinalizerName } from '../../validation/metadata.ts';
import type { Vocabulary } from '../../vocabulary/vocabulary.ts';

/** Every namespace is labelled with its own name, so that selectors can pick one by name. */
function labelWithName(namespace: Namespace, vocabulary: Vocabulary): void {
  const name = namespace.metadata?.name;
  if (!name) return;
  const labels = { ...namespace.metadata?.labels, [vocabulary.namespaceNameLabel]: name };
  namespace.metadata = { ...namespace.metadata, labels };
}

/** `numbered`: whether a complaint names the place in the list. */
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

/** The namespace controller says how far deletion has come. */
const status: ObjectSubresource<Namespace> = {
  verbs: ['get', 'patch', 'update'],
  prepareForUpdate: (next, previous) => carryOver(next, previous, 'spec'),
  validateUpdate(next) {
    const deleting = next.metadata?.deletionTimestamp !== undefined;
    const expected = deleting ? 'Terminating' : 'Active';
    const phase = next.status?.phase ?? '';
    if (phase === expected) return [];
    const when = deleting ? 'is not empty' : 'is empty';
    return [
      invalidField('status.Phase', phase, `may only be '${expected}' if \`deletionTimestamp\` ${when}`),
    ];
  },
};

/** Removes finalizers of `spec`; the registry deletes the namespace once none is left. */
const finalize: ObjectSubresource<Namespace> = {
  verbs: ['update'],
  prepareForUpdate: (next, previous) => carryOver(next, previous, 'status'),
  validateUpdate: (next, _previous, { vocabulary }) => validateFinalizers(next, vocabulary, true),
};

export const namespaceSubresources = { status, finalize };

export const namespaceColumns: readonly Column<Namespace>[] = [
  nameColumn,
  column('Status', (namespace) => namespace.status?.phase ?? '', 'The status of the namespace'),
  ageColumn,
];

export const namespaceFields = {
  'status.phase': (namespace: DeepReadonly<Namespace>) => namespace.status?.phase ?? '',
};
