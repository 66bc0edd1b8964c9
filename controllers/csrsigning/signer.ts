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
/** Time by which the validity starts before the signing, for clients whose clocks are behind. */
const BACKDATE_MS = 5 * MINUTE;
/** Lifetime below which the backdating does not shorten the validity after the signing. */
const SHORT_MS = 8 * HOUR;
/** Minimum lifetime, which also replaces a shorter requested one. */
const SHORTEST_MS = 10 * MINUTE;

/** Authority that signs certificates, with the longest lifetime it grants. */
export interface Signer {
  /** Authority that signs. Read for each certificate, because it may be replaced at run time. */
  readonly authority: CertificateAuthority;
  /** Longest lifetime in milliseconds. */
  readonly durationMs: number;
  /** Issues the certificate. Default `issueCertificate`, synchronously on this thread. */
  readonly issue?: (...request: Parameters<typeof issueCertificate>) => Soon<string>;
}

/**
 * Returns the reason for which a request must not be signed, or undefined if it may be. The reason is that it cannot be
 * parsed, or that the rules of its signer forbid it:
 * https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#kubernetes-signers
 */
export function faultOf(
  object: DeepReadonly<CertificateSigningRequest>,
  vocabulary: Vocabulary,
): string | undefined {
  let request: CertificateRequest;
  try {
    request = parseCertificateRequest(Buffer.from(object.spec?.request ?? '', 'base64'));
  } catch (thrown) {
    // Validation refuses such requests; an older server may have stored this one.
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
 * Returns the validity of a certificate: the requested lifetime, limited by the signer's longest one and by the end of its
 * authority. Throws if the authority has expired.
 */
export function lifetimeOf(
  { durationMs, authority }: Signer,
  expirationSeconds: number | undefined,
  nowMs: number,
): { readonly notBeforeMs: number; readonly notAfterMs: number } {
  const asked =
    expirationSeconds === undefined ? durationMs : Math.max(SHORTEST_MS, expirationSeconds * 1000);
  const lifetimeMs = Math.min(asked, durationMs);
  const authorityEndsMs = Date.parse(authority.certificate.validTo);
  if (nowMs >= authorityEndsMs)
    throw new Error(`the signer has expired: NotAfter=${new Date(authorityEndsMs).toISOString()}`);
  const notBeforeMs = nowMs - BACKDATE_MS;
  const notAfterMs = (lifetimeMs < SHORT_MS ? nowMs : notBeforeMs) + lifetimeMs;
  return { notBeforeMs, notAfterMs: Math.min(notAfterMs, authorityEndsMs) };
}

/**
 * Signs a request. Subject, public key and alternative names come from the request, the usages from the object. The result
 * has a fault if the certificate, parsed again, differs from what was approved; it must not be published then.
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
