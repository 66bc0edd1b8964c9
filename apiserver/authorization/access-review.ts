import type { ApiObject, UserInfo } from '../../api/kinds/kind.ts';
import { badRequest, invalid } from '../../api/status/api-error.ts';
import { type FieldErrors, invalidField } from '../../api/status/field-errors.ts';
import { invalidTyped } from '../../api/validation/go-dump.ts';
import type {
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SelfSubjectAccessReviewSpec,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  SubjectAccessReviewSpec,
  SubjectAccessReviewStatus,
} from '../../api/types/authorization-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/vocabulary.ts';
import type { VirtualHandler } from '../http/virtual.ts';
import type { Attributes, Authorizer } from '../request.ts';

const VERSIONS = ['v1', 'v1beta1'] as const;

/** The older version has another name for the groups. */
const subjectOf = (
  spec: SubjectAccessReviewSpec & { readonly group?: readonly string[] },
): SubjectAccessReviewSpec => (spec.group === undefined ? spec : { ...spec, groups: [...spec.group] });

function attributesOf(spec: SelfSubjectAccessReviewSpec, user: UserInfo): Attributes {
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec;
  return {
    user,
    verb: resource?.verb ?? path?.verb ?? '',
    isResourceRequest: resource !== undefined,
    path: resource === undefined ? (path?.path ?? '') : '',
    group: resource?.group ?? '',
    version: resource?.version ?? '',
    resource: resource?.resource ?? '',
    subresource: resource?.subresource ?? '',
    namespace: resource?.namespace ?? '',
    name: resource?.name ?? '',
  };
}

/** What upstream calls the type where it shows one. */
const NON_RESOURCE = 'authorization.NonResourceAttributes';

function validateAttributes(spec: SelfSubjectAccessReviewSpec): FieldErrors {
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec;
  if (resource !== undefined && path !== undefined)
    return [
      invalidTyped(
        'spec.nonResourceAttributes',
        NON_RESOURCE,
        path,
        'cannot be specified in combination with resourceAttributes',
      ),
    ];
  if (resource === undefined && path === undefined)
    return [
      invalidField(
        'spec.resourceAttributes',
        null,
        'exactly one of nonResourceAttributes or resourceAttributes must be specified',
      ),
    ];
  return [];
}

const validateSubject = (spec: SubjectAccessReviewSpec): FieldErrors =>
  (spec.user ?? '') === '' && (spec.groups ?? []).length === 0
    ? [invalidField('spec.user', spec.user ?? '', 'at least one of user or group must be specified')]
    : [];

/** A review is answered, never kept: its metadata says nothing, but for the fields a writer always sets. */
function validateMetadata({ metadata }: ApiObject, namespace: string): FieldErrors {
  const { managedFields: _ignored, namespace: own = '', ...rest } = metadata ?? {};
  const empty = Object.values(rest).every((value) => value === undefined || value === null || value === '');
  return empty && (own === '' || own === namespace) ? [] : [invalidField('metadata', '', 'must be empty')];
}

function validateLocal(spec: SubjectAccessReviewSpec, namespace: string): FieldErrors {
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec;
  return [
    ...(resource !== undefined && resource.namespace !== namespace
      ? [
          invalidField(
            'spec.resourceAttributes.namespace',
            resource.namespace ?? '',
            'must match metadata.namespace',
          ),
        ]
      : []),
    ...(path === undefined
      ? []
      : [
          invalidTyped(
            'spec.nonResourceAttributes',
            NON_RESOURCE,
            path,
            'disallowed on this kind of request',
          ),
        ]),
  ];
}

const userOf = ({ user = '', uid, groups = [], extra }: SubjectAccessReviewSpec): UserInfo => ({
  username: user,
  ...(uid === undefined ? {} : { uid }),
  groups,
  ...(extra === undefined ? {} : { extra }),
});

/** A rule as it is written: lists without entries are left out. */
const withoutEmpty = (rule: object): object =>
  Object.fromEntries(Object.entries(rule).filter(([, value]) => !Array.isArray(value) || value.length > 0));

/** The access reviews (specification 1, section 2.9), answered by the authorizer that requests pass, at each version. */
export const createAccessReviewHandlers = (
  authorizer: Authorizer,
  vocabulary: Vocabulary,
): readonly VirtualHandler[] => VERSIONS.flatMap((version) => handlersAt(version, authorizer, vocabulary));

function handlersAt(
  version: (typeof VERSIONS)[number],
  authorizer: Authorizer,
  vocabulary: Vocabulary,
): readonly VirtualHandler[] {
  const asked = { group: 'authorization', version, subresource: '' } as const;
  // Upstream names the group alone.
  const refuse = (errors: FieldErrors): void => {
    if (errors.length > 0) throw invalid({ group: vocabulary.group('authorization'), kind: '' }, '', errors);
  };

  async function decide(
    spec: SelfSubjectAccessReviewSpec,
    user: UserInfo,
  ): Promise<SubjectAccessReviewStatus> {
    const { verdict, reason, error } = await authorizer.authorize(attributesOf(spec, user));
    return {
      allowed: verdict === 'allow',
      ...(verdict === 'deny' ? { denied: true } : {}),
      ...(reason === '' ? {} : { reason }),
      ...(error === undefined ? {} : { evaluationError: error }),
    };
  }

  const subjectAccessReviews: VirtualHandler = {
    ...asked,
    resource: 'subjectaccessreviews',
    async handle(_context, body) {
      const review = body as SubjectAccessReview;
      const spec = subjectOf(review.spec);
      refuse([...validateAttributes(spec), ...validateSubject(spec), ...validateMetadata(review, '')]);
      return { ...review, status: await decide(spec, userOf(spec)) } as ApiObject;
    },
  };

  const selfSubjectAccessReviews: VirtualHandler = {
    ...asked,
    resource: 'selfsubjectaccessreviews',
    async handle({ user }, body) {
      const review = body as SelfSubjectAccessReview;
      refuse([...validateAttributes(review.spec), ...validateMetadata(review, '')]);
      return { ...review, status: await decide(review.spec, user) } as ApiObject;
    },
  };

  const localSubjectAccessReviews: VirtualHandler = {
    ...asked,
    resource: 'localsubjectaccessreviews',
    async handle(_context, body, namespace) {
      const review = body as LocalSubjectAccessReview;
      const own = review.metadata?.namespace ?? '';
      if (own !== '' && own !== namespace)
        throw badRequest(`spec.resourceAttributes.namespace must match namespace: ${namespace}`);
      const spec = subjectOf(review.spec);
      refuse([
        ...validateAttributes(spec),
        ...validateSubject(spec),
        ...validateMetadata(review, namespace),
        ...validateLocal(spec, namespace),
      ]);
      return { ...review, status: await decide(spec, userOf(spec)) } as ApiObject;
    },
  };

  const selfSubjectRulesReviews: VirtualHandler = {
    ...asked,
    resource: 'selfsubjectrulesreviews',
    async handle({ user }, body) {
      const review = body as SelfSubjectRulesReview;
      const namespace = review.spec.namespace ?? '';
      if (namespace === '') throw badRequest('no namespace on request');
      const found = await authorizer.rules?.(user, namespace);
      const status = {
        resourceRules: (found?.resourceRules ?? []).map(withoutEmpty),
        nonResourceRules: found?.nonResourceRules ?? [],
        incomplete: found?.incomplete ?? true,
        ...(found?.error ? { evaluationError: found.error } : {}),
      };
      return { ...review, spec: {}, status } as ApiObject;
    },
  };

  return [subjectAccessReviews, selfSubjectAccessReviews, localSubjectAccessReviews, selfSubjectRulesReviews];
}
