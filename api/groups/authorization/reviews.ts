import type { DeepReadonly, Strategy } from '../../kinds/kind.ts';
import { type FieldError, type FieldErrors, invalidField } from '../../status/field-errors.ts';
import type {
  LocalSubjectAccessReview,
  NonResourceAttributes,
  SelfSubjectAccessReview,
  SubjectAccessReview,
  SubjectAccessReviewSpec,
} from '../../types/authorization-v1.ts';
import type { ObjectMeta } from '../../types/meta-v1.ts';
import { invalidTyped } from '../../validation/go-text/dump.ts';
import { goString, goStruct, invalidLiteral } from '../../validation/go-text/values.ts';

type Attributes = DeepReadonly<Pick<SubjectAccessReviewSpec, 'resourceAttributes' | 'nonResourceAttributes'>>;

const printedPath = ({ path, verb }: DeepReadonly<NonResourceAttributes>): string =>
  goStruct('authorization.NonResourceAttributes', { Path: goString(path), Verb: goString(verb) });

/** Validates that either resource or non-resource attributes are present. */
function validateAttributes(spec: Attributes | undefined): FieldErrors {
  const { resourceAttributes, nonResourceAttributes } = spec ?? {};
  if (resourceAttributes && nonResourceAttributes) {
    return [
      invalidLiteral(
        'spec.nonResourceAttributes',
        printedPath(nonResourceAttributes),
        'cannot be specified in combination with resourceAttributes',
      ),
    ];
  }
  return resourceAttributes || nonResourceAttributes
    ? []
    : [
        invalidField(
          'spec.resourceAttributes',
          null,
          'exactly one of nonResourceAttributes or resourceAttributes must be specified',
        ),
      ];
}

const validateSubject = (spec: DeepReadonly<SubjectAccessReviewSpec> | undefined): FieldErrors =>
  spec?.user || (spec?.groups ?? []).length > 0
    ? []
    : [invalidField('spec.user', spec?.user ?? '', 'at least one of user or group must be specified')];

/**
 * Validates that a review has no metadata except the fields that the server adds. Reviews are never stored.
 */
function validateNoMetadata(
  meta: DeepReadonly<ObjectMeta> | undefined,
  allowed: readonly string[],
  detail: string,
): FieldErrors {
  const ignored = new Set(['managedFields', ...allowed]);
  const set = Object.entries(meta ?? {}).filter(
    ([key, each]) => !ignored.has(key) && each !== undefined && each !== null,
  );
  return set.length === 0 ? [] : [invalidTyped('metadata', 'v1.ObjectMeta', meta, detail)];
}

/** Strategy of SubjectAccessReviews. */
export const subjectAccessReviewStrategy: Strategy<SubjectAccessReview> = {
  validate: ({ metadata, spec }) => [
    ...validateAttributes(spec),
    ...validateSubject(spec),
    ...validateNoMetadata(metadata, [], 'must be empty'),
  ],
};

/** Strategy of SelfSubjectAccessReviews. */
export const selfSubjectAccessReviewStrategy: Strategy<SelfSubjectAccessReview> = {
  validate: ({ metadata, spec }) => [
    ...validateAttributes(spec),
    ...validateNoMetadata(metadata, [], 'must be empty'),
  ],
};

/** Strategy of LocalSubjectAccessReviews. */
export const localSubjectAccessReviewStrategy: Strategy<LocalSubjectAccessReview> = {
  validate({ metadata, spec }) {
    const errors: FieldError[] = [...validateAttributes(spec), ...validateSubject(spec)];
    errors.push(...validateNoMetadata(metadata, ['namespace'], 'must be empty except for namespace'));
    const namespace = spec?.resourceAttributes?.namespace ?? '';
    if (spec?.resourceAttributes && namespace !== (metadata?.namespace ?? '')) {
      errors.push(
        invalidField('spec.resourceAttributes.namespace', namespace, 'must match metadata.namespace'),
      );
    }
    if (spec?.nonResourceAttributes) {
      errors.push(
        invalidLiteral(
          'spec.nonResourceAttributes',
          printedPath(spec.nonResourceAttributes),
          'disallowed on this kind of request',
        ),
      );
    }
    return errors;
  },
};
