import type { Rechecks } from '../kinds/policy.ts';
import type { Int64 } from '../schema/exact-json.ts';
import type { DeepReadonly, NameRule, Whole } from '../kinds/kind.ts';
import { isTerminating } from '../lifecycles/deletion.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  forbiddenField,
  index,
  invalidField,
  requiredField,
  tooLongField,
} from '../status/field-errors.ts';
import type { ObjectMeta, OwnerReference } from '../types/meta-v1.ts';
import { goPointer, goString, goStrings, goStruct, invalidLiteral } from './go-text/values.ts';
import { validateManagedFields } from './managers.ts';
import {
  type NameCheck,
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isPathSegment,
  isPathSegmentPrefix,
  isQualifiedName,
  maskTrailingDash,
} from './names.ts';

type Given = DeepReadonly<ObjectMeta> | undefined;
type Meta = Whole<DeepReadonly<ObjectMeta>>;

/**
 * Returns the metadata with all members present, undefined where missing. Rules read the members often, and
 * JavaScript engines read objects of one shape faster.
 */
const wholeMeta = (given: Given): Meta =>
  Object.assign(
    {
      name: undefined,
      generateName: undefined,
      namespace: undefined,
      selfLink: undefined,
      uid: undefined,
      resourceVersion: undefined,
      generation: undefined,
      creationTimestamp: undefined,
      deletionTimestamp: undefined,
      deletionGracePeriodSeconds: undefined,
      labels: undefined,
      annotations: undefined,
      ownerReferences: undefined,
      finalizers: undefined,
      clusterName: undefined,
      managedFields: undefined,
    },
    given,
  );

/** Error detail of a changed immutable field. */
export const IMMUTABLE = 'field is immutable';
const ANNOTATIONS_LIMIT = 256 * 1024;
const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

/** Rules of metadata that depend on the kind of the object. */
export interface MetadataRules {
  readonly namespaced: boolean;
  readonly nameRule: NameRule;
  /** Path of the metadata in errors; default `metadata`. */
  readonly path?: string;
  /**
   * Finalizer that is allowed without a domain, like `orphan` and `foregroundDeletion`:
   * `vocabulary.namespaceFinalizer`. Undefined if all finalizers are allowed without a domain.
   */
  readonly namespaceFinalizer?: string | undefined;
}

const NAME_CHECKS: { readonly [rule in NameRule]: NameCheck } = {
  subdomain: isDns1123Subdomain,
  label: isDns1123Label,
  'dns-1035-label': isDns1035Label,
  'path-segment': isPathSegment,
};

const generateNameCheck = (rule: NameRule): NameCheck =>
  rule === 'path-segment' ? isPathSegmentPrefix : (text) => NAME_CHECKS[rule](maskTrailingDash(text));

/** Returns each complaint of `check` about `text` as an error of one field. */
export const checked = (field: string, text: string, check: NameCheck): FieldErrors =>
  check(text).map((message) => invalidField(field, text, message));

/** Checks the rules of metadata for all kinds (`ValidateObjectMeta` in Kubernetes 1.24). */
export function validateObjectMeta(given: Given, rules: MetadataRules): FieldErrors {
  const path = rules.path ?? 'metadata';
  const meta = wholeMeta(given);
  return [
    ...validateNames(meta, rules, path),
    ...validateSharedMeta(meta, path),
    ...validateFinalizers(meta, path),
    ...validateDomains(meta, path, rules.namespaceFinalizer),
  ];
}

function validateNames(meta: Meta, rules: MetadataRules, path: string): FieldErrors {
  const errors: FieldError[] = [];
  const { name = '', generateName = '', namespace = '', generation = 0 } = meta;
  if (generateName !== '') {
    errors.push(...checked(child(path, 'generateName'), generateName, generateNameCheck(rules.nameRule)));
  }
  if (name === '') errors.push(requiredField(child(path, 'name'), 'name or generateName is required'));
  else errors.push(...checked(child(path, 'name'), name, NAME_CHECKS[rules.nameRule]));
  const namespacePath = child(path, 'namespace');
  if (!rules.namespaced) {
    if (namespace !== '') errors.push(forbiddenField(namespacePath, 'not allowed on this type'));
  } else if (namespace === '') errors.push(requiredField(namespacePath));
  else errors.push(...checked(namespacePath, namespace, isDns1123Label));
  if (generation < 0) {
    errors.push(invalidField(child(path, 'generation'), generation, 'must be greater than or equal to 0'));
  }
  return errors;
}

const validateSharedMeta = (meta: Meta, path: string): FieldErrors => [
  ...validateLabels(meta.labels, child(path, 'labels')),
  ...validateAnnotations(meta.annotations, child(path, 'annotations')),
  ...validateOwnerReferences(meta.ownerReferences ?? [], child(path, 'ownerReferences')),
  ...validateManagedFields(meta.managedFields ?? [], child(path, 'managedFields')),
];

/** Validates labels. Each error has the path of the whole map. */
export function validateLabels(
  labels: { readonly [key: string]: string } | undefined,
  path: string,
): FieldErrors {
  if (labels === undefined) return [];
  return Object.entries(labels).flatMap(([key, text]) => [
    ...checked(path, key, isQualifiedName),
    ...checked(path, text, isLabelValue),
  ]);
}

/** Validates the keys and the total size of annotations. */
export function validateAnnotations(
  annotations: { readonly [key: string]: string } | undefined,
  path: string,
): FieldErrors {
  const errors: FieldError[] = [];
  if (annotations === undefined) return errors;
  let size = 0;
  for (const [key, text] of Object.entries(annotations)) {
    errors.push(...isQualifiedName(key.toLowerCase()).map((message) => invalidField(path, key, message)));
    size += Buffer.byteLength(key) + Buffer.byteLength(text);
  }
  if (size > ANNOTATIONS_LIMIT) errors.push(tooLongField(path, ANNOTATIONS_LIMIT));
  return errors;
}

type Owner = DeepReadonly<OwnerReference>;

const printedOwner = (owner: Owner): string =>
  goStruct('v1.OwnerReference', {
    APIVersion: goString(owner.apiVersion),
    Kind: goString(owner.kind),
    Name: goString(owner.name),
    UID: goString(owner.uid),
    Controller: goPointer('bool', owner.controller),
    BlockOwnerDeletion: goPointer('bool', owner.blockOwnerDeletion),
  });

function validateOwner(owner: Owner, path: string): FieldErrors {
  const errors: FieldError[] = [];
  // A string that is not of the form `group/version` or `version` counts as having neither group nor version.
  const parts = (owner.apiVersion ?? '').split('/');
  const version = parts.length > 2 ? '' : (parts.at(-1) ?? '');
  if (version === '') {
    errors.push(invalidField(child(path, 'apiVersion'), owner.apiVersion ?? '', 'version must not be empty'));
  }
  for (const field of ['kind', 'name', 'uid'] as const) {
    if (!owner[field]) errors.push(invalidField(child(path, field), '', `${field} must not be empty`));
  }
  if (owner.apiVersion === 'v1' && owner.kind === 'Event') {
    errors.push(
      invalidLiteral(path, printedOwner(owner), '/v1, Kind=Event is disallowed from being an owner'),
    );
  }
  return errors;
}

function validateOwnerReferences(owners: readonly Owner[], path: string): FieldErrors {
  const errors: FieldError[] = [];
  let controller: string | undefined;
  for (const owner of owners) {
    errors.push(...validateOwner(owner, path));
    if (owner.controller !== true) continue;
    if (controller === undefined) controller = owner.name;
    else {
      const literal = `[]v1.OwnerReference{${owners.map(printedOwner).join(', ')}}`;
      errors.push(
        invalidLiteral(
          path,
          literal,
          `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${owner.name}`,
        ),
      );
    }
  }
  return errors;
}

function validateFinalizers(meta: Meta, path: string): FieldErrors {
  const finalizers = meta.finalizers ?? [];
  const field = child(path, 'finalizers');
  const errors: FieldError[] = finalizers.flatMap((each) => checked(field, each, isQualifiedName));
  if (finalizers.includes(ORPHAN) && finalizers.includes(FOREGROUND)) {
    errors.push(
      invalidLiteral(
        field,
        goStrings(finalizers),
        `finalizer ${ORPHAN} and ${FOREGROUND} cannot be both set`,
      ),
    );
  }
  return errors;
}

/**
 * Validates that finalizers have a domain (`validateKubeFinalizerName` in Kubernetes 1.24). Kinds of
 * extension servers, including custom resources, do not require one.
 */
function validateDomains(meta: Meta, path: string, namespaceFinalizer: string | undefined): FieldErrors {
  const { finalizers = [] } = meta;
  if (namespaceFinalizer === undefined || finalizers.length === 0) return [];
  const field = child(path, 'finalizers');
  return finalizers.flatMap((each, at) =>
    each.includes('/') || isStandardFinalizer(each, namespaceFinalizer)
      ? []
      : [unqualifiedFinalizer(each, index(field, at))],
  );
}

const isStandardFinalizer = (finalizer: string, namespaceFinalizer: string): boolean =>
  finalizer === ORPHAN || finalizer === FOREGROUND || finalizer === namespaceFinalizer;

const unqualifiedFinalizer = (finalizer: string, field: string): FieldError =>
  invalidField(field, finalizer, 'name is neither a standard finalizer name nor is it fully qualified');

/** Validates a finalizer in a namespace's `spec.finalizers`. All errors have the path of the finalizer. */
export function validateFinalizerName(
  finalizer: string,
  field: string,
  namespaceFinalizer: string,
): FieldErrors {
  const errors = checked(field, finalizer, isQualifiedName);
  const known = isStandardFinalizer(finalizer, namespaceFinalizer);
  return known || finalizer.includes('/') ? errors : [...errors, unqualifiedFinalizer(finalizer, field)];
}

/**
 * Validates an update of metadata (`validateCommonFields` and `ValidateObjectMetaUpdate` in Kubernetes 1.24).
 * Upstream's generic code checks the complete metadata and then its change. The code of the kind repeats some
 * of these checks, and all errors are reported. `rechecks` is the number of repetitions; by default the check
 * of the change is repeated once.
 */
export function validateObjectMetaUpdate(
  given: Given,
  before: Given,
  rules: MetadataRules,
  rechecks: Rechecks = { whole: 0, change: 1 },
): FieldErrors {
  const path = rules.path ?? 'metadata';
  const [next, previous] = [wholeMeta(given), wholeMeta(before)];
  const shared = validateSharedMeta(next, path);
  const finalizers = validateFinalizers(next, path);
  const change = [...validateChange(next, previous, path), ...shared];
  const domains = validateDomains(next, path, rules.namespaceFinalizer);
  const generic = [...shared, ...finalizers, ...change];
  // An unchanged name needs no check, because it was valid when the object was created.
  const names = rechecks.whole === 0 || isCalledSame(next, previous) ? [] : validateNames(next, rules, path);
  const whole = [...names, ...shared, ...finalizers, ...domains];
  return [
    ...generic,
    ...repeated(rechecks.whole, whole),
    ...repeated(rechecks.change, [...change, ...domains]),
  ];
}

const isCalledSame = (next: Meta, previous: Meta): boolean =>
  (['name', 'generateName', 'namespace', 'generation'] as const).every(
    (field) => next[field] === previous[field],
  );

const repeated = (times: number, errors: FieldErrors): FieldErrors =>
  errors.length === 0 ? errors : Array.from({ length: times }, () => errors).flat();

function validateChange(next: Meta, previous: Meta, path: string): FieldErrors {
  const errors: FieldError[] = [];
  // A terminating object only loses finalizers.
  if (isTerminating(previous)) {
    const known = new Set(previous.finalizers);
    const added = (next.finalizers ?? []).filter((each) => !known.has(each)).sort();
    if (added.length > 0) {
      errors.push(
        forbiddenField(
          child(path, 'finalizers'),
          `no new finalizers can be added if the object is being deleted, found new finalizers ${goStrings(added)}`,
        ),
      );
    }
  }
  if (!next.resourceVersion) {
    errors.push(invalidField(child(path, 'resourceVersion'), '', 'must be specified for an update'));
  }
  if ((next.generation ?? 0) < (previous.generation ?? 0)) {
    errors.push(invalidField(child(path, 'generation'), next.generation ?? 0, 'must not be decremented'));
  }
  return [...errors, ...immutableMeta(next, previous, path)];
}

function immutableMeta(next: Meta, previous: Meta, path: string): FieldErrors {
  const texts = (['name', 'namespace', 'uid'] as const)
    .filter((field) => (next[field] ?? '') !== (previous[field] ?? ''))
    .map((field) => invalidField(child(path, field), next[field] ?? '', IMMUTABLE));
  const rest = (['creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const)
    .filter((field) => next[field] !== previous[field])
    .map((field) => invalidLiteral(child(path, field), printedValue(next[field]), IMMUTABLE));
  return [...texts, ...rest];
}

/** Formats a number, or a time as Go prints it. */
const printedValue = (value: Int64 | string | undefined): string =>
  typeof value === 'string'
    ? value.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)Z$/, '$1 $2 +0000 UTC')
    : String(value ?? '"null"');
