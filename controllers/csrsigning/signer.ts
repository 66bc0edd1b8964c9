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
/** Certificates are valid a little before they are made, for clocks that are behind. */
const BACKDATE_MS = 5 * MINUTE;
/** Below this lifetime the backdating is not taken off the end. */
const SHORT_MS = 8 * HOUR;
/** No certificate lives shorter, whatever was asked for. */
const SHORTEST_MS = 10 * MINUTE;

/** Authority that signs certificates, with the longest lifetime it grants. */
export interface Signer {
  /** Read for each certificate: a later one may be another authority's. */
  readonly authority: CertificateAuthority;
  /** Longest lifetime, milliseconds. */
  readonly durationMs: number;
  /** Makes the certificate; default `issueCertificate`, at once and on this thread. */
  readonly issue?: (...request: Parameters<typeof issueCertificate>) => Soon<string>;
}

/**
 * Returns why a request is not signed, undefined if it is: it cannot be read, or the rules of its signer forbid it
 * (https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#kubernetes-signers).
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

/** The lifetime of a certificate: what was asked for, within what the signer gives. */
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
 * Signs a request: subject, public key and alternative names are the request's, usages the object's. The certificate is
 * read back, and must not be published if that finds a fault.
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
