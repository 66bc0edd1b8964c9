import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { CertificateSigningRequest } from '../../api/types/certificates-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { type Soon, whenThere } from '../../base/async/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import {
  type CertificateAuthority,
  type CertificateRequest,
  alternativeNamesFault,
  issueCertificate,
  parseCertificateRequest,
} from '../../base/pki/index.ts';
import type { Random } from '../../base/random/index.ts';
import {
  apiserverClientFault,
  nodeClientFault,
  nodeServingFault,
} from '../../machines/certificates/signer-rules.ts';
import type { Signed } from '../../machines/csrsigning/csr-signing.ts';
import { issuedFault } from './issued-certificate.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/**
 * Time in milliseconds by which the validity starts before the signing, for clients whose clocks are slow.
 */
const BACKDATE_MS = 5 * MINUTE;
/**
 * Minimum lifetime in milliseconds that includes the backdating. A shorter lifetime starts at the signing.
 */
const SHORT_MS = 8 * HOUR;
/** Minimum lifetime in milliseconds; replaces a shorter requested lifetime. */
const MIN_LIFETIME_MS = 10 * MINUTE;

/** Authority that signs certificates, with its maximum lifetime of a certificate. */
export interface Signer {
  /** Certificate authority. Read for each certificate, because it may be replaced at run time. */
  readonly authority: CertificateAuthority;
  /** Maximum lifetime of a certificate in milliseconds. */
  readonly durationMs: number;
  /** Issues a certificate. Default: `issueCertificate`, synchronously on this thread. */
  readonly issue?: (...request: Parameters<typeof issueCertificate>) => Soon<string>;
}

/**
 * Returns the reason for which a request must not be signed: it cannot be parsed, or the rules of its signer
 * forbid it. Returns undefined if the request may be signed. See
 * https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#kubernetes-signers.
 */
export function faultOf(
  object: DeepReadonly<CertificateSigningRequest>,
  vocabulary: Vocabulary,
): string | undefined {
  let request: CertificateRequest;
  try {
    request = parseCertificateRequest(Buffer.from(object.spec?.request ?? '', 'base64'));
  } catch (thrown) {
    // Validation rejects such a request, but an older server may have stored one.
    return messageOf(thrown);
  }
  return alternativeNamesFault(request) ?? ruleFault(object, request, vocabulary);
}

function ruleFault(
  { spec }: DeepReadonly<CertificateSigningRequest>,
  request: CertificateRequest,
  { signers }: Vocabulary,
): string | undefined {
  const usages = spec?.usages ?? [];
  switch (spec?.signerName) {
    case signers.apiserverClient:
      return apiserverClientFault(usages);
    case signers.nodeClient:
      return nodeClientFault(request, usages);
    case signers.nodeServing:
      return nodeServingFault(request, usages);
    default:
      return undefined;
  }
}

/**
 * Returns the validity of a certificate: the requested lifetime, limited by the signer's maximum and by the
 * end of its authority. Throws if the authority has expired.
 */
export function lifetimeOf(
  { durationMs, authority }: Signer,
  expirationSeconds: number | undefined,
  nowMs: number,
): { readonly notBeforeMs: number; readonly notAfterMs: number } {
  const requestedMs =
    expirationSeconds === undefined ? durationMs : Math.max(MIN_LIFETIME_MS, expirationSeconds * 1000);
  const lifetimeMs = Math.min(requestedMs, durationMs);
  const authorityEndsMs = Date.parse(authority.certificate.validTo);
  if (nowMs >= authorityEndsMs)
    throw new Error(`the signer has expired: NotAfter=${new Date(authorityEndsMs).toISOString()}`);
  const notBeforeMs = nowMs - BACKDATE_MS;
  const notAfterMs = (lifetimeMs < SHORT_MS ? nowMs : notBeforeMs) + lifetimeMs;
  return { notBeforeMs, notAfterMs: Math.min(notAfterMs, authorityEndsMs) };
}

/**
 * Signs a request. Subject, public key and alternative names come from the request, the usages from the
 * CertificateSigningRequest. The result has a fault if the certificate, parsed again, differs from the
 * approved properties; it must not be published then.
 */
export function signRequest(
  object: DeepReadonly<CertificateSigningRequest>,
  signer: Signer,
  nowMs: number,
  random: Random,
): Soon<Signed> {
  const { authority, issue = issueCertificate } = signer;
  const request = parseCertificateRequest(Buffer.from(object.spec?.request ?? '', 'base64'));
  const usages = object.spec?.usages ?? [];
  const lifetime = lifetimeOf(signer, object.spec?.expirationSeconds, nowMs);
  const { subjectDer: subject, publicKeyDer: publicKey } = request;
  const issued = issue({ subject, publicKey, usages, names: request, ...lifetime }, authority, random);
  return whenThere(issued, (certificate) => ({
    certificate,
    fault: issuedFault(certificate, { request, usages, ...lifetime }) ?? '',
  }));
}
