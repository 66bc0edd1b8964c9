import { type FieldErrors, invalid } from '../../../api/status/index.ts';
import {
  type MetadataRules,
  validateObjectMeta,
  validateObjectMetaUpdate,
  validatePrivileges,
} from '../../../api/validation/index.ts';
import { part } from '../../../base/budget/index.ts';
import { withOldTimes } from '../fields/tracking.ts';
import type { WriteContext } from '../registry.ts';
import type { Resource } from '../resource.ts';
import { equalStored } from './serialisation.ts';
import { type Draft, type Replacement, isReplacement } from './draft.ts';
import { subresourceOf } from './prepare.ts';

/** Returns all errors of the object. Has no side effects, so it can run in steps. */
export const errorsOf = (draft: Draft): FieldErrors =>
  isReplacement(draft) ? errorsOfReplacement(draft) : errorsOfNew(draft);

/** Throws a 422 if the object has errors. Otherwise sends the kind's warnings. */
export function conclude(draft: Draft, errors: FieldErrors): void {
  const { resource, object, previous, input, context, subresource } = draft;
  // A new object has its generated name by now.
  const { name = '' } = (previous ?? object).metadata ?? {};
  rejectInvalid(resource, name, errors, context);
  if (subresource !== '') return;
  for (const text of resource.kind.strategy.warnings?.(object, previous, input) ?? []) context.warn(text);
}

function errorsOfNew({ resource, object, input }: Draft): FieldErrors {
  const { kind, allowPrivileged } = resource;
  const { strategy } = kind;
  return [
    ...part(() => validateObjectMeta(object.metadata, metadataRules(resource))),
    ...part(() => strategy.validate?.(object, input) ?? []),
    ...(allowPrivileged ? [] : part(() => validatePrivileges(kind, object))),
    ...part(() => strategy.validateCreate?.(object, input) ?? []),
  ];
}

function errorsOfReplacement(draft: Replacement): FieldErrors {
  const { resource, subresource, object, previous, input } = draft;
  const { kind, policy } = resource;
  const { strategy } = kind;
  const written = subresourceOf(draft);
  const settled = written !== undefined || part(() => isSettled(draft));
  const objectErrors = settled ? [] : part(() => strategy.validate?.(object, input) ?? []);
  const mayEscalate = resource.allowPrivileged || (written && subresource !== 'ephemeralcontainers');
  const rechecks = written ? policy.statusRechecks : policy.rechecks;
  return [
    ...part(() =>
      validateObjectMetaUpdate(object.metadata, previous.metadata, metadataRules(resource), rechecks),
    ),
    ...objectErrors,
    ...(mayEscalate ? [] : part(() => validatePrivileges(kind, object))),
    ...(strategy.validatesChangeToo ? objectErrors : []),
    ...part(() => (written ?? strategy).validateUpdate?.(object, previous, input) ?? []),
  ];
}

/** True if the object does not change and was valid when it was written. */
const isSettled = (draft: Replacement): boolean => Object.isFrozen(draft.previous) && onlyTimesDiffer(draft);

/** True if at most the times of managed fields would change. */
export function onlyTimesDiffer({ object, previous }: Replacement): boolean {
  if (equalStored(object, previous)) return true;
  const restored = withOldTimes(object, previous);
  return restored !== undefined && equalStored(restored, previous);
}

const metadataRules = ({ kind, scheme }: Resource): MetadataRules => ({
  namespaced: kind.namespaced,
  nameRule: kind.nameRule,
  ...(kind.anyFinalizer ? {} : { namespaceFinalizer: scheme.vocabulary.namespaceFinalizer }),
});

function rejectInvalid(
  { kindName }: Resource,
  name: string,
  errors: FieldErrors,
  { emptied }: Pick<WriteContext, 'emptied'>,
): void {
  if (errors.length > 0) throw invalid(kindName, name, emptied?.size ? asGiven(errors, emptied) : errors);
}

/**
 * Returns the errors with `{}` in place of nil for lists and maps that are empty in the body. Decoding has
 * dropped them.
 */
const asGiven = (errors: FieldErrors, emptied: ReadonlySet<string>): FieldErrors =>
  errors.map((error) =>
    emptied.has(error.field)
      ? { ...error, message: error.message.replace(/^(Invalid value: [^\s(){}"]+)\(nil\)/, '$1{}') }
      : error,
  );
