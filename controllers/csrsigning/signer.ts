import type { DeepReadonly } from '../../api/kinds/kind.ts';
import type { CertificateSigningRequest } from '../../api/types/certificates-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/vocabulary.ts';
import type { Soon } from '../../base/async/soon.ts';
import { type CertificateAuthority, issueCertificate } from '../../base/pki/certificates.ts';
import { parseCertificateRequest } from '../../base/pki/request.ts';
import type { Random } from '../../base/random/random.ts';
import {
  apiserverClientFault,
  nodeClientFault,
  nodeServingFault,
} from '../../machines/certificates/signer-rules.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Certificates are valid a little before they are made, for clocks that are behind. */
const BACKDATE_MS = 5 * MINUTE;
/** Below this lifetime the backdating is not taken off the end. */
const SHORT_MS = 8 * HOUR;
/** No certificate lives shorter, whatever was asked for. */
const SHORTEST_MS = 10 * MINUTE;

export interface Signer {
  /** Read for each certificate: a later one may be another authority's. */
  readonly authority: CertificateAuthority;
  /** Longest lifetime, milliseconds. */
  readonly durationMs: number;
  /** Makes the certificate; default `issueCertificate`, at once and on this thread. */
  readonly issue?: (...request: Parameters<typeof issueCertificate>) => Soon<string>;
}

/** Why a signer's rules forbid a request (specification 2, 'Known signers'); undefined when they allow it. */
export function faultOf(
  object: DeepReadonly<CertificateSigningRequest>,
  { signers }: Vocabulary,
): string | undefined {
  const usages = object.spec?.usages ?? [];
  const request = parseCertificateRequest(Buffer.from(object.spec?.request ?? '', 'base64'));
  switch (object.spec?.signerName) {
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

/** Signs; PEM. Subject, public key and alternative names are the request's, usages the object's. */
export function signRequest(
  object: DeepReadonly<CertificateSigningRequest>,
  signer: Signer,
  nowMs: number,
  random: Random,
): Soon<string> {
  const { authority, issue = issueCertificate } = signer;
  const request = parseCertificateRequest(Buffer.from(object.spec?.request ?? '', 'base64'));
  return issue(
    {
      subject: request.subjectDer,
      publicKey: request.publicKeyDer,
      usages: object.spec?.usages ?? [],
      names: request,
      ...lifetimeOf(signer, object.spec?.expirationSeconds, nowMs),
    },
    authority,
    random,
  );
}
