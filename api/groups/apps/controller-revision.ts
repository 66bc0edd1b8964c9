import { sameValue } from '../../kinds/carry-over.ts';
import { ageColumn, column, nameColumn, orNone } from '../../kinds/columns.ts';
import type { Column, DeepReadonly, Strategy } from '../../kinds/kind.ts';
import { type FieldErrors, invalidField, requiredField } from '../../status/field-errors.ts';
import type { ControllerRevision } from '../../types/apps-v1.ts';
import { IMMUTABLE } from '../../validation/metadata.ts';
import { nonNegative } from '../../validation/numbers.ts';

type Frozen = DeepReadonly<ControllerRevision>;

/**
 * Strategy of ControllerRevisions, which are snapshots of a workload for a rollback. The data is immutable.
 */
export const controllerRevisionStrategy: Strategy<ControllerRevision> = {
  validate: ({ data, revision }): FieldErrors => [
    ...(data === undefined || data === null ? [requiredField('data', 'data is mandatory')] : []),
    ...nonNegative('revision', revision),
  ],
  validateUpdate: (next, previous) =>
    sameValue(next.data, previous.data) ? [] : [invalidField('data', next.data, IMMUTABLE)],
};

/** Returns the controlling owner in the form `daemonset.apps/web`; an empty string if there is none. */
function controllerText({ metadata }: Frozen): string {
  const owner = (metadata?.ownerReferences ?? []).find(({ controller }) => controller === true);
  if (owner === undefined) return '';
  const [group = '', version] = owner.apiVersion.split('/');
  const suffix = version === undefined ? '' : `.${group}`;
  return `${owner.kind.toLowerCase()}${suffix}/${owner.name}`;
}

/** Table columns of ControllerRevisions. */
export const controllerRevisionColumns: readonly Column<ControllerRevision>[] = [
  nameColumn,
  column<ControllerRevision>(
    'Controller',
    (object) => orNone(controllerText(object)),
    'Controller of the object',
  ),
  column<ControllerRevision>(
    'Revision',
    ({ revision }) => revision,
    'Revision indicates the revision of the state represented by Data.',
  ),
  ageColumn,
];
