import { dropRules, hasRules } from '../../extensions/validation-rules.ts';
import { carryOver } from '../../kinds/carry-over.ts';
import { nameColumn } from '../../kinds/columns.ts';
import type { Column, Strategy } from '../../kinds/kind.ts';
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionStatus,
} from '../../types/apiextensions-v1.ts';
import {
  validateDefinition,
  validateDefinitionStatus,
  validateDefinitionUpdate,
  validateNewDefinition,
} from '../../validation/custom-resource/definition.ts';
import { statusAloneSubresource } from '../status-subresource.ts';

const HTTPS = 443;
/** Returns the status of a new CustomResourceDefinition. Missing conditions are written as null. */
const noStatus = (): CustomResourceDefinitionStatus => ({
  conditions: null as never,
  acceptedNames: { plural: '', kind: '' },
  storedVersions: [],
});

function defaultNames(names: CustomResourceDefinitionNames): void {
  if (!names.singular) names.singular = names.kind.toLowerCase();
  if (!names.listKind && names.kind !== '') names.listKind = `${names.kind}List`;
}

/** Adds the storage version to the list of versions in which objects may be stored. */
function recordStored({ spec, status }: CustomResourceDefinition): void {
  const stored = (spec.versions ?? []).find((version) => version.storage)?.name;
  if (stored === undefined || status === undefined) return;
  const before = status.storedVersions ?? [];
  if (!before.includes(stored)) status.storedVersions = [...before, stored];
}

/** Strategy of CustomResourceDefinitions. */
export const customResourceDefinitionStrategy: Strategy<CustomResourceDefinition> = {
  defaults(definition) {
    const { spec } = definition;
    defaultNames(spec.names);
    spec.conversion ??= { strategy: 'None' };
    const service = spec.conversion.webhook?.clientConfig?.service;
    if (service) service.port ??= HTTPS;
    const { storedVersions } = (definition.status ??= noStatus());
    if ((storedVersions ?? []).length === 0) recordStored(definition);
  },
  prepareForCreate(next) {
    dropRules(next.spec);
    next.status = noStatus();
    recordStored(next);
  },
  prepareForUpdate(next, previous) {
    // Like upstream, retains the validation rules if stored rules exist.
    if (!hasRules(previous.spec)) dropRules(next.spec);
    carryOver(next, previous, 'status');
    recordStored(next);
  },
  validate: (next, { vocabulary }) => validateDefinition(next, vocabulary),
  validateCreate: (next, { vocabulary }) => validateNewDefinition(next, vocabulary),
  validateUpdate: (next, previous, { vocabulary }) => validateDefinitionUpdate(next, previous, vocabulary),
};

/** Subresources of CustomResourceDefinitions. */
export const customResourceDefinitionSubresources = {
  // Finalizers are not preserved: the status update that reports the deletion of all objects also removes the
  // finalizer.
  status: statusAloneSubresource<CustomResourceDefinition>(validateDefinitionStatus, [
    'labels',
    'annotations',
    'ownerReferences',
  ]),
};

/** Table columns of CustomResourceDefinitions, the only kind with a column of type `date`. */
export const customResourceDefinitionColumns: readonly Column<CustomResourceDefinition>[] = [
  nameColumn,
  { name: 'Created At', type: 'date', cell: (object) => object.metadata?.creationTimestamp ?? null },
];
