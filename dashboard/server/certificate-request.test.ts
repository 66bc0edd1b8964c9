import { expect, it } from 'vitest';
import { createCertificateRequest, generateKeyPair, noAlternativeNames } from '../../base/pki/index.ts';
import { certificateRequestOf } from './certificate-request.ts';

const read = (pem: string) =>
  certificateRequestOf(new URLSearchParams({ request: Buffer.from(pem).toString('base64') }));
const subject = { commonName: 'node-1', organizations: ['system:nodes'] };

it.each([
  ['ec-p256', 'EC, curve prime256v1'],
  ['rsa-2048', 'RSA, 2048 bits'],
  ['ed25519', 'ed25519'],
] as const)('names the subject, alternative names and the %s key of a request', (algorithm, key) => {
  const names = { ...noAlternativeNames, dnsNames: ['a.test'], ipAddresses: ['10.0.0.1'] };
  expect(read(createCertificateRequest(generateKeyPair(algorithm), subject, names))).toMatchObject({
    ...subject,
    dnsNames: ['a.test'],
    ipAddresses: ['10.0.0.1'],
    key,
    isSigned: true,
  });
});

it.each(['', '%%', 'A'.repeat(12_001)])(
  'refuses a query that is not base64 of a bounded length',
  (request) => {
    expect(() => certificateRequestOf(new URLSearchParams({ request }))).toThrow('expected base64');
  },
);

it('refuses a PEM block that is not a certificate request', () => {
  expect(() => read('-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n')).toThrow(
    'must be CERTIFICATE REQUEST',
  );
});
