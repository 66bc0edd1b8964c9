import { toTime } from '../../../base/clock/index.ts';
import { humanDuration } from '../../kinds/age.ts';
import { carryOver, sameValue, thawed } from '../../kinds/carry-over.ts';
import { ageColumn, column, NONE, nameColumn } from '../../kinds/columns.ts';
import type { Column, DeepReadonly, ObjectSubresource, Strategy, StrategyContext } from '../../kinds/kind.ts';
import { type FieldError, type FieldErrors, forbiddenField } from '../../status/field-errors.ts';
import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
} from '../../types/certificates-v1.ts';
import { requestLifecycle } from '../../lifecycles/certificate-request.ts';
import { conditionTypesIn, permanentConditionsIn } from '../../lifecycles/conditions.ts';
import { validateRequestSpec } from './request-spec.ts';
import { validateRequestStatus } from './request-status.ts';

type Request = CertificateSigningRequest;
type Frozen = DeepReadonly<Request>;
type Condition = CertificateSigningRequestCondition;

/** Conditions that only the subresource `approval` can add, and that cannot be changed or removed. */
const DECISIONS = conditionTypesIn(requestLifecycle, 'approval');
const PERMANENT = permanentConditionsIn(requestLifecycle);

/** Strategy of CertificateSigningRequests. */
export const requestStrategy: Strategy<Request> = {
  prepareForCreate(next, { user }) {
    next.status = {};
    const { request, signerName, expirationSeconds, usages } = next.spec ?? {};
    next.spec = {
      request: request ?? '',
      signerName: signerName ?? '',
      ...(expirationSeconds === undefined ? {} : { expirationSeconds }),
      ...(usages === undefined ? {} : { usages }),
      username: user.username,
      ...(user.uid === undefined ? {} : { uid: user.uid }),
      groups: [...user.groups],
      ...(user.extra === undefined ? {} : { extra: thawed<Record<string, string[]>>(user.extra) }),
    };
  },
  prepareForUpdate: (next, previous) => carryOver(next, previous, 'spec', 'status'),
  validate: (next, { vocabulary }) => validateRequestSpec(next, vocabulary),
};

const conditionsOf = (request: Frozen): readonly DeepReadonly<Condition>[] =>
  request.status?.conditions ?? [];
const ofType = (request: Frozen, type: string): readonly DeepReadonly<Condition>[] =>
  conditionsOf(request).filter((condition) => condition.type === type);

/**
 * Sets the times of conditions: the current time for a new condition, the previous transition time for an
 * existing condition.
 */
function stampConditions(next: Request, previous: Frozen, { nowMs }: StrategyContext): void {
  const now = toTime(nowMs);
  for (const condition of next.status?.conditions ?? []) {
    condition.lastUpdateTime ??= now;
    const before = conditionsOf(previous).find(
      ({ type, status }) => type === condition.type && status === condition.status,
    );
    condition.lastTransitionTime ??= before?.lastTransitionTime ?? now;
  }
}

/** Restores existing decisions. Validation rejects added and removed decisions. */
function keepDecisions(next: Request, previous: Frozen): void {
  for (const type of DECISIONS) {
    const [kept] = ofType(previous, type);
    const { conditions = [] } = next.status ?? {};
    const at = conditions.findIndex((condition) => condition.type === type);
    if (kept !== undefined && at >= 0) conditions[at] = thawed<Condition>(kept);
  }
}

/** Subresource for approvers, who can change only conditions. */
const approval: ObjectSubresource<Request> = {
  verbs: ['get', 'patch', 'update'],
  prepareForUpdate(next, previous, context) {
    carryOver(next, previous, 'spec');
    next.status ??= {};
    carryOver(next.status, previous.status ?? {}, 'certificate');
    stampConditions(next, previous, context);
  },
  validateUpdate: (next, previous) => [...validateRequestStatus(next), ...validateChange(next, previous)],
};

/** Subresource for signers, who can set the certificate or a condition that explains why there is none. */
const status: ObjectSubresource<Request> = {
  verbs: ['get', 'patch', 'update'],
  prepareForUpdate(next, previous, context) {
    carryOver(next, previous, 'spec');
    keepDecisions(next, previous);
    stampConditions(next, previous, context);
  },
  validateUpdate: (next, previous) => [
    ...validateRequestStatus(next),
    ...validateChange(next, previous),
    ...validateNoDecision(next, previous),
  ],
};

/** Subresources of CertificateSigningRequests. */
export const requestSubresources = { approval, status };

function validateChange(next: Frozen, previous: Frozen): FieldErrors {
  const errors: FieldError[] = PERMANENT.filter(
    (type) => ofType(next, type).length < ofType(previous, type).length,
  ).map((type) =>
    forbiddenField('status.conditions', `updates may not remove a condition of type ${JSON.stringify(type)}`),
  );
  const before = previous.status?.certificate;
  if (before && !sameValue(next.status?.certificate, before)) {
    errors.push(forbiddenField('status.certificate', 'updates may not modify existing certificate content'));
  }
  return errors;
}

const validateNoDecision = (next: Frozen, previous: Frozen): FieldErrors =>
  DECISIONS.filter((type) => ofType(next, type).length > ofType(previous, type).length).map((type) =>
    forbiddenField('status.conditions', `updates may not add a condition of type ${JSON.stringify(type)}`),
  );

/**
 * Returns `Pending`, `Approved` or `Denied`, followed by `,Failed` if the request failed and `,Issued` if it
 * has a certificate.
 */
function conditionText(request: Frozen): string {
  const has = (type: string): boolean => ofType(request, type).length > 0;
  const decision = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
  return `${decision}${has('Failed') ? ',Failed' : ''}${request.status?.certificate ? ',Issued' : ''}`;
}

/** Table columns of CertificateSigningRequests. */
export const requestColumns: readonly Column<Request>[] = [
  nameColumn,
  ageColumn,
  column<Request>(
    'SignerName',
    (request) => request.spec?.signerName || NONE,
    'signerName indicates the requested signer, and is a qualified name.  List/watch requests for CertificateSigningRequests can filter on this field using a "spec.signerName=NAME" fieldSelector.  Well-known {Product} signers are:  1. "{domain}/{short}-apiserver-client": issues client certificates that can be used to authenticate to {short}-apiserver.   Requests for this signer are never auto-approved by {short}-controller-manager, can be issued by the "csrsigning" controller in {short}-controller-manager.  2. "{domain}/{short}-apiserver-client-kubelet": issues client certificates that kubelets use to authenticate to {short}-apiserver.   Requests for this signer can be auto-approved by the "csrapproving" controller in {short}-controller-manager, and can be issued by the "csrsigning" controller in {short}-controller-manager.  3. "{domain}/kubelet-serving" issues serving certificates that kubelets use to serve TLS endpoints, which {short}-apiserver can connect to securely.   Requests for this signer are never auto-approved by {short}-controller-manager, and can be issued by the "csrsigning" controller in {short}-controller-manager.  More details are available at https://{groupSuffix}/docs/reference/access-authn-authz/certificate-signing-requests/#{product}-signers  Custom signerNames can also be specified. The signer defines:  1. Trust distribution: how trust (CA bundles) are distributed.  2. Permitted subjects: and behavior when a disallowed subject is requested.  3. Required, permitted, or forbidden x509 extensions in the request (including whether subjectAltNames are allowed, which types, restrictions on allowed values) and behavior when a disallowed extension is requested.  4. Required, permitted, or forbidden key usages / extended key usages.  5. Expiration/certificate lifetime: whether it is fixed by the signer, configurable by the admin.  6. Whether or not requests for CA certificates are allowed.',
  ),
  column<Request>(
    'Requestor',
    (request) => request.spec?.username ?? '',
    'request contains an x509 certificate signing request encoded in a "CERTIFICATE REQUEST" PEM block. When serialized as JSON or YAML, the data is additionally base64-encoded.',
  ),
  column<Request>(
    'RequestedDuration',
    ({ spec }) =>
      spec?.expirationSeconds === undefined ? NONE : humanDuration(spec.expirationSeconds * 1_000),
    'expirationSeconds is the requested duration of validity of the issued certificate. The certificate signer may issue a certificate with a different validity duration so a client must check the delta between the notBefore and and notAfter fields in the issued certificate to determine the actual duration.  The v1.22+ in-tree implementations of the well-known {Product} signers will honor this field as long as the requested duration is not greater than the maximum duration they will honor per the --cluster-signing-duration CLI flag to the {Product} controller manager.  Certificate signers may not honor this field for various reasons:    1. Old signer that is unaware of the field (such as the in-tree      implementations prior to v1.22)   2. Signer whose configured maximum is shorter than the requested duration   3. Signer whose configured minimum is longer than the requested duration  The minimum valid value for expirationSeconds is 600, i.e. 10 minutes.  As of v1.22, this field is beta and is controlled via the CSRDuration feature gate.',
  ),
  column<Request>(
    'Condition',
    conditionText,
    'conditions applied to the request. Known conditions are "Approved", "Denied", and "Failed".',
  ),
];

/** Field selectors of CertificateSigningRequests. */
export const requestFields = { 'spec.signerName': (request: Frozen) => request.spec?.signerName ?? '' };
