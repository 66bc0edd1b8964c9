import { parsePem, readCertificate, readName } from '../../../base/pki/index.ts';
import type { DeepReadonly } from '../../kinds/kind.ts';
import { requestLifecycle } from '../../lifecycles/certificate-request.ts';
import { alternativesTo, conditionTypesIn } from '../../lifecycles/conditions.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  duplicateField,
  index,
  invalidField,
  notSupportedField,
  requiredField,
} from '../../status/field-errors.ts';
import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
} from '../../types/certificates-v1.ts';

type Condition = DeepReadonly<CertificateSigningRequestCondition>;

const STATUSES = ['False', 'True', 'Unknown'];
/** Conditions whose status can only be `True`. */
const TRUE_ONLY = conditionTypesIn(requestLifecycle);
/** Conditions that exclude each condition. */
const OPPOSITES = new Map(TRUE_ONLY.map((type) => [type, alternativesTo(requestLifecycle, type)]));

/** Checks upstream's rules for the conditions and the certificate of a v1 request. */
export function validateRequestStatus({ status }: DeepReadonly<CertificateSigningRequest>): FieldErrors {
  const errors: FieldError[] = [...validateConditions(status?.conditions ?? [])];
  const certificate = status?.certificate ?? '';
  const problem = certificate === '' ? undefined : certificateProblem(Buffer.from(certificate, 'base64'));
  if (problem !== undefined) errors.push(invalidField('status.certificate', '<certificate data>', problem));
  return errors;
}

function validateConditions(conditions: readonly Condition[]): FieldErrors {
  const seen = new Set<string>();
  return conditions.flatMap((condition, at) => {
    const path = index('status.conditions', at);
    const type = condition.type ?? '';
    const errors: FieldError[] = [];
    if (type === '') errors.push(requiredField(child(path, 'type')));
    errors.push(...validateConditionStatus(condition, child(path, 'status')));
    if (OPPOSITES.get(type)?.some((opposite) => seen.has(opposite))) {
      const detail = 'Approved and Denied conditions are mutually exclusive';
      errors.push(invalidField(child(path, 'type'), type, detail));
    }
    if (seen.has(type)) errors.push(duplicateField(child(path, 'type'), type));
    seen.add(type);
    return errors;
  });
}

function validateConditionStatus({ type, status }: Condition, field: string): FieldErrors {
  const allowed = TRUE_ONLY.includes(type) ? ['True'] : STATUSES;
  if (!status) return [requiredField(field)];
  return allowed.includes(status) ? [] : [notSupportedField(field, status, allowed)];
}

/**
 * Returns the fault of the issued certificate; undefined if it is valid. It must consist of PEM blocks
 * labelled CERTIFICATE without headers. Other text around the blocks is allowed (RFC 7468, section 5.2).
 */
function certificateProblem(pem: Buffer): string | undefined {
  const blocks = parsePem(pem.toString('latin1'));
  for (const { label, hasHeaders, der } of blocks) {
    if (label !== 'CERTIFICATE') {
      return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(label)}`;
    }
    if (hasHeaders) return 'no PEM block headers are permitted';
    if (der.length === 0) return 'found CERTIFICATE PEM block containing 0 certificates';
    try {
      const { issuerDer, subjectDer } = readCertificate(der);
      for (const name of [issuerDer, subjectDer]) readName(name);
    } catch {
      return 'x509: malformed certificate';
    }
  }
  return blocks.length === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined;
}
