import { createCertificateRequest } from '../../base/pki/request.ts';
import { generateKeyPair } from '../../base/pki/keys.ts';
import { noAlternativeNames } from '../../base/pki/alternative-names.ts';

const keys = generateKeyPair('ec-p256');

/**
 * Returns a certificate request in PEM with a P-256 key. The subject has a form such as `/O=a/O=b/CN=c`,
 * `names` a form such as `DNS:x,DNS:y`.
 */
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
