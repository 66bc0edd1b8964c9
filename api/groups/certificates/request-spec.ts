import { alternativeNamesFault, parseCertificateRequest, usageNames } from '../../../base/pki/index.ts';
import type { DeepReadonly } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  duplicateField,
  index,
  invalidField,
  notSupportedField,
  requiredField,
  tooLongField,
} from '../../status/field-errors.ts';
import type { CertificateSigningRequest } from '../../types/certificates-v1.ts';
import { goBytes, invalidLiteral } from '../../validation/go-text/values.ts';
import { isDns1123Label, isDns1123Subdomain, type NameCheck } from '../../validation/names.ts';
import type { Vocabulary } from '../../vocabulary/vocabulary.ts';
import { repeats } from '../../validation/repeats.ts';

const MIN_EXPIRATION_SECONDS = 600;
const DOMAIN_LIMIT = 253;
const SIGNER_LIMIT = DOMAIN_LIMIT + DOMAIN_LIMIT + 63 + 2;

/** Checks the rules of `ValidateCertificateSigningRequestCreate` in Kubernetes 1.24 for v1. */
export function validateRequestSpec(
  { spec }: DeepReadonly<CertificateSigningRequest>,
  vocabulary: Vocabulary,
): FieldErrors {
  const { request = '', usages = [], signerName = '', expirationSeconds } = spec ?? {};
  const errors: FieldError[] = [];
  const der = Buffer.from(request, 'base64');
  const problem = requestProblem(der, Object.values(vocabulary.signers).includes(signerName));
  if (problem !== undefined) {
    errors.push(invalidLiteral('spec.request', shownBytes(der), problem));
  }
  errors.push(...validateUsages(usages));
  if (signerName === vocabulary.signers.legacyUnknown) {
    const detail = 'the legacy signerName is not allowed via this API version';
    errors.push(invalidField('spec.signerName', signerName, detail));
  } else errors.push(...validateSignerName(signerName, 'spec.signerName'));
  if (expirationSeconds !== undefined && expirationSeconds < MIN_EXPIRATION_SECONDS) {
    const detail = 'may not specify a duration less than 600 seconds (10 minutes)';
    errors.push(invalidField('spec.expirationSeconds', expirationSeconds, detail));
  }
  return errors;
}

/**
 * Maximum number of bytes of a request that an error prints. Upstream prints all bytes, with six characters
 * for each byte, before the reason.
 */
const MAX_SHOWN_BYTES = 64;

function shownBytes(bytes: Buffer): string {
  if (bytes.length === 0) return '[]byte(nil)';
  return bytes.length > MAX_SHOWN_BYTES ? '<certificate request data>' : goBytes(bytes);
}

/**
 * Returns the fault of a PKCS#10 request, whose signature is also verified; undefined if it is valid.
 * `isOurs` is true if a built-in signer will sign the request.
 */
function requestProblem(pem: Buffer, isOurs: boolean): string | undefined {
  try {
    const request = parseCertificateRequest(pem);
    const fault = isOurs ? alternativeNamesFault(request) : undefined;
    if (fault !== undefined) return fault;
    return request.verify() ? undefined : 'x509: certificate request signature is invalid';
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

function validateUsages(usages: readonly string[]): FieldErrors {
  if (usages.length === 0) return [requiredField('spec.usages', 'usages must be provided')];
  const unknown = usages.flatMap((usage, at) =>
    usageNames.includes(usage) ? [] : [notSupportedField(index('spec.usages', at), usage, usageNames)],
  );
  const repeated = [...repeats(usages)].map((at) => duplicateField(index('spec.usages', at), usages[at]));
  return [...unknown, ...repeated];
}

/**
 * Validates a name of the form `<domain of at least two labels>/<path>`. Both parts must be usable in the
 * resource names of an authorization rule.
 */
function validateSignerName(signerName: string, field: string): FieldErrors {
  if (signerName === '') return [requiredField(field, 'signerName must be provided')];
  const [domain = '', path, ...rest] = signerName.split('/');
  if (path === undefined || rest.length > 0) {
    const detail = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return [invalidField(field, signerName, detail)];
  }
  const errors: FieldError[] = [];
  if (domain.length > DOMAIN_LIMIT) errors.push(tooLongField(field, DOMAIN_LIMIT));
  errors.push(...firstBadLabel(domain, field, isDns1123Label));
  if (!domain.includes('.')) {
    const detail = 'should be a domain with at least two segments separated by dots';
    errors.push(invalidField(field, domain, detail));
  }
  errors.push(...firstBadLabel(path, field, isDns1123Subdomain));
  if (signerName.length > SIGNER_LIMIT) errors.push(tooLongField(field, SIGNER_LIMIT));
  return errors;
}

function firstBadLabel(segment: string, field: string, check: NameCheck): FieldErrors {
  for (const label of segment.split('.')) {
    const messages = check(label);
    if (messages.length > 0) {
      return messages.map((message) =>
        invalidField(field, segment, `validating label ${JSON.stringify(label)}: ${message}`),
      );
    }
  }
  return [];
}
