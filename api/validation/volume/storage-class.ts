import type { DeepReadonly } from '../../kinds/kind.ts';
import { sameValue } from '../../kinds/carry-over.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  duplicateField,
  forbiddenField,
  index,
  invalidField,
  notSupportedField,
  requiredField,
  tooLongField,
} from '../../status/field-errors.ts';
import type { TopologySelectorTerm } from '../../types/core-v1-workload.ts';
import type { StorageClass } from '../../types/storage-v1.ts';
import { IMMUTABLE, checked } from '../metadata.ts';
import { isQualifiedName } from '../names.ts';
import { repeats } from '../repeats.ts';

type Frozen = DeepReadonly<StorageClass>;

const PARAMETERS_LIMIT = 512;
const PARAMETERS_BYTES = 256 * 1024;
const RECLAIM_POLICIES = ['Delete', 'Retain'];
const BINDING_MODES = ['Immediate', 'WaitForFirstConsumer'];

/** Checks the rules of `ValidateStorageClass` in Kubernetes 1.24. */
export function validateStorageClass(storageClass: Frozen): FieldErrors {
  const { provisioner = '', reclaimPolicy = '', volumeBindingMode } = storageClass;
  const errors: FieldError[] =
    provisioner === ''
      ? [requiredField('provisioner')]
      : isQualifiedName(provisioner.toLowerCase()).map((message) =>
          invalidField('provisioner', provisioner, message),
        );
  errors.push(...validateParameters(storageClass.parameters ?? {}, 'parameters'));
  if (reclaimPolicy !== '' && !RECLAIM_POLICIES.includes(reclaimPolicy)) {
    errors.push(notSupportedField('reclaimPolicy', reclaimPolicy, RECLAIM_POLICIES));
  }
  if (volumeBindingMode === undefined) errors.push(requiredField('volumeBindingMode'));
  else if (!BINDING_MODES.includes(volumeBindingMode)) {
    errors.push(notSupportedField('volumeBindingMode', volumeBindingMode, BINDING_MODES));
  }
  return [...errors, ...validateTopologies(storageClass.allowedTopologies ?? [], 'allowedTopologies')];
}

/** Validates the number and total size of a driver's parameters. */
export function validateParameters(
  parameters: { readonly [key: string]: string },
  field: string,
): FieldErrors {
  const entries = Object.entries(parameters);
  if (entries.length > PARAMETERS_LIMIT) return [tooLongField(field, PARAMETERS_LIMIT)];
  const size = entries.reduce(
    (sum, [key, text]) => sum + Buffer.byteLength(key) + Buffer.byteLength(text),
    0,
  );
  return [
    ...(Object.hasOwn(parameters, '') ? [invalidField(field, '', 'field can not be empty.')] : []),
    ...(size > PARAMETERS_BYTES ? [tooLongField(field, PARAMETERS_BYTES)] : []),
  ];
}

function validateTopologies(terms: readonly DeepReadonly<TopologySelectorTerm>[], path: string): FieldErrors {
  // Upstream initializes its list of seen terms with as many empty terms as there are terms, and then reports
  // one error for each equal term in the list.
  const seen = new Map<string, number>([['{}', terms.length]]);
  return terms.flatMap((term, at) => {
    const errors: FieldError[] = [...validateTerm(term, index(path, at))];
    const found = identityOf(term);
    const equal = seen.get(found) ?? 0;
    for (let time = 0; time < equal; time += 1)
      errors.push(duplicateField(child(index(path, at), 'matchLabelExpressions'), ''));
    seen.set(found, equal + 1);
    return errors;
  });
}

/** Returns a string that is equal for terms with equal meaning. */
function identityOf({ matchLabelExpressions = [] }: DeepReadonly<TopologySelectorTerm>): string {
  const values = new Map(matchLabelExpressions.map((each) => [each.key, [...new Set(each.values)].sort()]));
  return JSON.stringify(Object.fromEntries([...values].sort(([one], [other]) => (one < other ? -1 : 1))));
}

function validateTerm({ matchLabelExpressions = [] }: DeepReadonly<TopologySelectorTerm>, path: string) {
  const keys = new Set<string>();
  return matchLabelExpressions.flatMap(({ key = '', values }, at): FieldError[] => {
    const each = index(child(path, 'matchLabelExpressions'), at);
    const list = values ?? [];
    const errors: FieldError[] = list.length === 0 ? [requiredField(child(each, 'values'))] : [];
    for (const position of repeats(list))
      errors.push(duplicateField(index(child(each, 'values'), position), list[position]));
    errors.push(...checked(child(each, 'key'), key, isQualifiedName));
    if (keys.has(key)) errors.push(duplicateField(child(each, 'key'), key));
    keys.add(key);
    return errors;
  });
}

/** Checks the rules of `ValidateStorageClassUpdate` in Kubernetes 1.24. */
export function validateStorageClassUpdate(next: Frozen, previous: Frozen): FieldErrors {
  const forbidden = (['parameters', 'provisioner', 'reclaimPolicy'] as const)
    .filter((field) => !sameValue(next[field], previous[field]))
    .map((field) => forbiddenField(field, `updates to ${field} are forbidden.`));
  return next.volumeBindingMode === previous.volumeBindingMode
    ? forbidden
    : [...forbidden, invalidField('volumeBindingMode', next.volumeBindingMode, IMMUTABLE)];
}
