import { createCertificateRequest } from '../../base/pki/request.ts';
import { generateKeyPair } from '../../base/pki/keys.ts';
import { noAlternativeNames } from '../../base/pki/alternative-names.ts';

const keys = generateKeyPair('ec-p256');

/** A certificate request, PEM, for a subject such as `/O=a/O=b/CN=c` and names such as `DNS:x,DNS:y`, with a key of P-256. */
export function requestPem(subject: string, names = ''): string {
  const parts = subject.split('/').flatMap((part) => (part === '' ? [] : [part.split('=')]));
  const valuesOf = (attribute: string): string[] =>
    parts.flatMap(([name, value = '']) => (name === attribute ? [value] : []));
  const dnsNames = names.split(',').flatMap((name) => (name.startsWith('DNS:') ? [name.slice(4)] : []));
  return createCertificateRequest(
    keys,
    { commonName: valuesOf('CN')[0] ?? '', organizations: valuesOf('O') },
    { ...noAlternativeNames, dnsNames },
  );
}
