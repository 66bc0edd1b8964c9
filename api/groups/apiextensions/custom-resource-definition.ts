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
} from '../../validation/custom-resource-definition.ts';
import { statusAloneSubresource } from '../status-subresource.ts';

const HTTPS = 443;
/** No conditions yet are written as null. */
const noStatus = (): CustomResourceDefinitionStatus => ({
  conditions: null as never,
  acceptedNames: { plural: '', kind: '' },
  storedVersions: [],
});

function defaultNames(names: CustomResourceDefinitionNames): void {
  if (!names.singular) names.singular = names.kind.toLowerCase();
  if (!names.listKind && names.kind !== '') names.listKind = `${names.kind}List`;
}

/** Adds the storage version to those in which objects may be stored. */
function recordStored({ spec, status }: CustomResourceDefinition): void {
  const stored = (spec.versions ?? []).find((version) => version.storage)?.name;
  if (stored === undefined || status === undefined) return;
  const before = status.storedVersions ?? [];
  if (!before.includes(stored)) status.storedVersions = [...before, stored];
}

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
    // Rules that are stored already stay, as upstream has it.
    if (!hasRules(previous.spec)) dropRules(next.spec);
    carryOver(next, previous, 'status');
    recordStored(next);
  },
  validate: (next, { vocabulary }) => validateDefinition(next, vocabulary),
  validateCreate: (next, { vocabulary }) => validateNewDefinition(next, vocabulary),
  validateUpdate: (next, previous, { vocabulary }) => validateDefinitionUpdate(next, previous, vocabulary),
};

export const customResourceDefinitionSubresources = {
  // The finalizer goes by a report that all objects are gone.
  status: statusAloneSubresource<CustomResourceDefinition>(validateDefinitionStatus, [
    'labels',
    'annotations',
    'ownerReferences',
  ]),
};

/** The one kind whose table has the time of making as a date. */
export const customResourceDefinitionColumns: readonly Column<CustomResourceDefinition>[] = [
  nameColumn,
  { name: 'Created At', type: 'date', cell: (object) => object.metadata?.creationTimestamp ?? null },
];
