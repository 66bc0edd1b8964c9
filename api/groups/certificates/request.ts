import { toTime } from '../../../base/clock/clock.ts';
import { humanDuration } from '../../kinds/age.ts';
import { carryOver, sameValue, thawed } from '../../kinds/carry-over.ts';
import { ageColumn, column, NONE, nameColumn } from '../../kinds/columns.ts';
import type { Column, DeepReadonly, ObjectSubresource, Strategy, StrategyContext } from '../../kinds/kind.ts';
import { type FieldError, type FieldErrors, forbiddenField } from '../../status/field-errors.ts';
import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
} from '../../types/certificates-v1.ts';
import { validateRequestSpec } from './request-spec.ts';
import { validateRequestStatus } from './request-status.ts';

type Request = CertificateSigningRequest;
type Frozen = DeepReadonly<Request>;
type Condition = CertificateSigningRequestCondition;

/** Decisions: no update but one of `approval` adds or changes them, and none removes them. */
const DECISIONS = ['Approved', 'Denied'];
const PERMANENT = [...DECISIONS, 'Failed'];

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

/** A new condition happened now; one that was there already keeps the time it began. */
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

/** Decisions that are still there stay as they were made; what was added or left out is for validation to refuse. */
function keepDecisions(next: Request, previous: Frozen): void {
  for (const type of DECISIONS) {
    const [kept] = ofType(previous, type);
    const { conditions = [] } = next.status ?? {};
    const at = conditions.findIndex((condition) => condition.type === type);
    if (kept !== undefined && at >= 0) conditions[at] = thawed<Condition>(kept);
  }
}

/** Approvers decide here: only conditions change. */
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

/** Signers answer here: the certificate, or a condition that says why not. */
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

/** `Pending`, `Approved`, `Denied`, with `,Failed` and `,Issued`. */
function conditionText(request: Frozen): string {
  const has = (type: string): boolean => ofType(request, type).length > 0;
  const decision = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
  return `${decision}${has('Failed') ? ',Failed' : ''}${request.status?.certificate ? ',Issued' : ''}`;
}

export const requestColumns: readonly Column<Request>[] = [
  nameColumn,
  ageColumn,
  column<Request>('SignerName', (request) => request.spec?.signerName || NONE),
  column<Request>('Requestor', (request) => request.spec?.username ?? ''),
  column<Request>('RequestedDuration', ({ spec }) =>
    spec?.expirationSeconds === undefined ? NONE : humanDuration(spec.expirationSeconds * 1_000),
  ),
  column<Request>('Condition', conditionText),
];

export const requestFields = { 'spec.signerName': (request: Frozen) => request.spec?.signerName ?? '' };
