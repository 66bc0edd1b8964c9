import type { ApiObject, DeepReadonly, UserInfo } from '../../../api/kinds/index.ts';
import { decode, optional, ref, struct } from '../../../api/schema/index.ts';
import { AdmissionResponse } from '../../../api/types/admission-v1.ts';
import { typeMeta } from '../../../api/types/type-meta.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { messageOf } from '../../../base/errors/index.ts';
import type { AdmissionRequest, ObjectKind } from '../../request.ts';
import type { Invocation } from './invocation.ts';
import { namespaceOf } from './selectors.ts';

const REVIEW_VERSIONS: readonly string[] = ['v1', 'v1beta1'];

/** Objects of a request, converted to the version that the webhook receives. */
export interface Shown {
  readonly object: DeepReadonly<ApiObject> | undefined;
  readonly previous: DeepReadonly<ApiObject> | undefined;
}

/**
 * Returns the first version in order of preference that this server supports. Returns undefined if none is
 * supported.
 */
export const reviewVersionOf = (versions: readonly string[]): string | undefined =>
  versions.find((version) => REVIEW_VERSIONS.includes(version));

/**
 * Creates the AdmissionReview to send to a webhook
 * (https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#request).
 */
export function createReview(
  { resource, objectKind }: Invocation,
  request: DeepReadonly<AdmissionRequest>,
  shown: Shown,
  uid: string,
  version: string,
  vocabulary: Vocabulary,
): object {
  const { kind, subresource, operation, dryRun, options = null } = request;
  const named = (of: typeof resource): object => ({
    group: vocabulary.group(of.group),
    version: of.version,
    resource: of.plural,
  });
  const name = request.name || (request.object?.metadata?.name ?? '');
  const namespace = namespaceOf(request);
  return {
    kind: 'AdmissionReview',
    apiVersion: vocabulary.apiVersion('admission', version),
    request: {
      uid,
      kind: kindIn(objectKind),
      resource: named(resource),
      ...(subresource !== '' && { subResource: subresource }),
      requestKind: kindIn(request.requestKind),
      requestResource: named(kind as typeof resource),
      ...(subresource !== '' && { requestSubResource: subresource }),
      ...(name !== '' && { name }),
      ...(namespace !== '' && { namespace }),
      operation,
      userInfo: userIn(request.user),
      object: shown.object ?? null,
      oldObject: shown.previous ?? null,
      dryRun,
      options,
    },
  };
}

const kindIn = ({ group, version, kind }: ObjectKind): object => ({ group, version, kind });

const userIn = ({ username, uid = '', groups, extra = {} }: DeepReadonly<UserInfo>): object => ({
  ...(username !== '' && { username }),
  ...(uid !== '' && { uid }),
  ...(groups.length > 0 && { groups }),
  ...(Object.keys(extra).length > 0 && { extra }),
});

/** Error for a response that cannot be decoded as an AdmissionReview. */
export class UnreadableReview extends Error {}

/** Values that a valid response must have. */
export interface Expected {
  readonly uid: string;
  readonly version: string;
  /** True if the webhook may change the object. */
  readonly isMutating: boolean;
}

/**
 * Reads the response of a webhook. Throws `UnreadableReview` if it cannot be decoded, and an error with
 * upstream's message if it violates a rule.
 */
export function readReview(answer: unknown, expected: Expected, vocabulary: Vocabulary): AdmissionResponse {
  const { kind = '', apiVersion = '', response } = decoded(answer);
  const wanted = vocabulary.apiVersion('admission', expected.version);
  const known = REVIEW_VERSIONS.map((each) => vocabulary.apiVersion('admission', each));
  // A missing kind or version is treated as the expected one here; `checkV1` rejects it.
  if ((kind || 'AdmissionReview') !== 'AdmissionReview' || !known.includes(apiVersion || wanted))
    throw new UnreadableReview(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`,
    );
  if (response === undefined || (apiVersion || wanted) !== wanted)
    throw new Error('webhook response was absent');
  if (expected.version === 'v1') checkV1(`${apiVersion || '/'}, Kind=${kind}`, response, expected, wanted);
  const { patch: _patch, patchType: _patchType, ...rest } = response;
  if (!expected.isMutating) return rest;
  return response.patch && expected.version !== 'v1' ? { ...response, patchType: 'JSONPatch' } : response;
}

interface DecodedReview {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly response?: AdmissionResponse;
}

function decoded(answer: unknown): DecodedReview {
  try {
    return decode<DecodedReview>(AdmissionReview, answer).value;
  } catch (cause) {
    throw new UnreadableReview(messageOf(cause), { cause });
  }
}

const AdmissionReview = struct('api.admission.v1.AdmissionReview', {
  ...typeMeta,
  response: optional(2, ref<AdmissionResponse>(AdmissionResponse)),
});

/** Checks the rules that apply only to v1. */
function checkV1(
  found: string,
  { uid, patch = '', patchType }: AdmissionResponse,
  expected: Expected,
  apiVersion: string,
): void {
  if (uid !== expected.uid)
    throw new Error(`expected response.uid=${JSON.stringify(expected.uid)}, got ${JSON.stringify(uid)}`);
  const wanted = `${apiVersion}, Kind=AdmissionReview`;
  if (found !== wanted) throw new Error(`expected webhook response of ${wanted}, got ${found}`);
  if (!expected.isMutating) {
    if (patch !== '') throw new Error('validating webhook may not return response.patch');
    if (patchType !== undefined) throw new Error('validating webhook may not return response.patchType');
    return;
  }
  if (patch !== '' && patchType === undefined)
    throw new Error('webhook returned response.patch but not response.patchType');
  if (patch === '' && patchType !== undefined)
    throw new Error('webhook returned response.patchType but not response.patch');
  if (patchType === '') throw new Error('webhook returned invalid response.patchType of ""');
}
