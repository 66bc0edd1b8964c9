import type { ApiObject, UserInfo } from '../../api/kinds/index.ts';
import { type FieldErrors, badRequest, invalid, invalidField } from '../../api/status/index.ts';
import { invalidTyped } from '../../api/validation/index.ts';
import type {
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SelfSubjectAccessReviewSpec,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  SubjectAccessReviewSpec,
  SubjectAccessReviewStatus,
} from '../../api/types/authorization-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { VirtualHandler } from '../http/virtual/virtual.ts';
import type { Attributes, Authorizer } from '../request.ts';

const VERSIONS = ['v1', 'v1beta1'] as const;

/** Renames the field `group` of a v1beta1 review to `groups`, as in v1. */
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

/** Type name that upstream prints in messages. */
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

/**
 * Returns an error if the metadata is not empty. A review is never stored, so only fields that every client
 * sets are accepted.
 */
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

/** Returns a rule without its empty lists, which are not encoded. */
const withoutEmpty = (rule: object): object =>
  Object.fromEntries(Object.entries(rule).filter(([, value]) => !Array.isArray(value) || value.length > 0));

/**
 * Creates the handlers of access reviews for each API version
 * (https://kubernetes.io/docs/reference/kubernetes-api/authorization-resources/). They use the same
 * authorizer as requests.
 */
export function createAccessReviewHandlers(
  authorizer: Authorizer,
  vocabulary: Vocabulary,
): readonly VirtualHandler[] {
  const reviewer = createReviewer(authorizer, vocabulary);
  const reviews: { readonly [resource: string]: VirtualHandler['handle'] } = {
    subjectaccessreviews: subjectReview(reviewer),
    selfsubjectaccessreviews: selfReview(reviewer),
    localsubjectaccessreviews: localReview(reviewer),
    selfsubjectrulesreviews: rulesReview(authorizer),
  };
  return VERSIONS.flatMap((version) =>
    Object.entries(reviews).map(([resource, handle]) => ({
      group: 'authorization',
      version,
      resource,
      subresource: '',
      handle,
    })),
  );
}

interface Reviewer {
  /** Throws status 422 if there is any error. */
  refuse(errors: FieldErrors): void;
  decide(spec: SelfSubjectAccessReviewSpec, user: UserInfo): Promise<SubjectAccessReviewStatus>;
}

const createReviewer = (authorizer: Authorizer, vocabulary: Vocabulary): Reviewer => ({
  refuse(errors) {
    // Upstream leaves the kind empty.
    if (errors.length > 0) throw invalid({ group: vocabulary.group('authorization'), kind: '' }, '', errors);
  },
  async decide(spec, user) {
    const { verdict, reason, error } = await authorizer.authorize(attributesOf(spec, user));
    return {
      allowed: verdict === 'allow',
      ...(verdict === 'deny' ? { denied: true } : {}),
      ...(reason === '' ? {} : { reason }),
      ...(error === undefined ? {} : { evaluationError: error }),
    };
  },
});

const subjectReview =
  ({ refuse, decide }: Reviewer): VirtualHandler['handle'] =>
  async (_context, body) => {
    const review = body as SubjectAccessReview;
    const spec = subjectOf(review.spec);
    refuse([...validateAttributes(spec), ...validateSubject(spec), ...validateMetadata(review, '')]);
    return { ...review, status: await decide(spec, userOf(spec)) } as ApiObject;
  };

const selfReview =
  ({ refuse, decide }: Reviewer): VirtualHandler['handle'] =>
  async ({ user }, body) => {
    const review = body as SelfSubjectAccessReview;
    refuse([...validateAttributes(review.spec), ...validateMetadata(review, '')]);
    return { ...review, status: await decide(review.spec, user) } as ApiObject;
  };

const localReview =
  ({ refuse, decide }: Reviewer): VirtualHandler['handle'] =>
  async (_context, body, namespace) => {
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
  };

const rulesReview =
  (authorizer: Authorizer): VirtualHandler['handle'] =>
  async ({ user }, body) => {
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
  };
