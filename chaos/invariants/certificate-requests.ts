import { X509Certificate } from 'node:crypto';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { CertificateSigningRequest } from '../../api/types/certificates-v1.ts';

type Request = DeepReadonly<CertificateSigningRequest>;

/** Returns the request's condition of a type if its status is true, or else undefined. */
export const conditionOf = ({ status }: Request, type: string) =>
  status?.conditions?.find((each) => each.type === type && each.status === 'True');

/** Returns the certificate of a request. Undefined if the request has no certificate or an unreadable one. */
export function certificateOf({ status }: Request): X509Certificate | undefined {
  if (!status?.certificate) return undefined;
  const known = certificates.get(status);
  if (known !== undefined) return known;
  try {
    const certificate = new X509Certificate(Buffer.from(status.certificate, 'base64'));
    certificates.set(status, certificate);
    return certificate;
  } catch {
    return undefined;
  }
}

/** Parsed certificates by status. Cached, because several invariants read them at every commit. */
const certificates = new WeakMap<NonNullable<Request['status']>, X509Certificate>();
