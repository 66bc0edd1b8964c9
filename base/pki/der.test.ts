import { AsnConvert, AsnObjectIdentifierConverter, OctetString } from '@peculiar/asn1-schema';
import { Certificate, KeyUsage, Time } from '@peculiar/asn1-x509';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSeededRandom } from '../random/seeded.ts';
import { createCertificateAuthority, issueCertificate } from './certificates.ts';
import { element, namedBits, oid, time } from './der.ts';
import { generateKeyPair } from './keys.ts';
import { onePem } from './pem.ts';
import { usageNames } from './usages.ts';

const hex = (bytes: ArrayBuffer): string => Buffer.from(bytes).toString('hex');

describe('DER writer', () => {
  it.each([0, 0x7f, 0x80, 0xff, 0x100, 0xffff, 0x10000])(
    'uses the shortest length for %d bytes',
    (length) => {
      const written = element(0x04, Buffer.alloc(length));
      expect(written.toString('hex')).toBe(hex(AsnConvert.serialize(new OctetString(Buffer.alloc(length)))));
    },
  );

  it.each(['2.5.29.37.0', '1.2.840.10045.4.3.2', '1.3.6.1.4.1.311.10.3.3', '0.9.2342.19200300.100.1.25'])(
    'encodes the object identifier %s like the library',
    (dotted) =>
      expect(oid(dotted).toString('hex')).toBe(hex(AsnObjectIdentifierConverter.toASN(dotted).toBER())),
  );

  it('encodes named bits like the library', () => {
    for (let flags = 1; flags < 512; flags++)
      expect(namedBits(flags).toString('hex')).toBe(hex(AsnConvert.serialize(new KeyUsage(flags))));
  });

  it.each([0, Date.UTC(2026, 1, 3, 4, 5, 6), Date.UTC(2050, 0, 1) - 1000, Date.UTC(2050, 0, 1)])(
    'encodes the time %d like the library',
    (ms) => expect(time(ms).toString('hex')).toBe(hex(AsnConvert.serialize(new Time(new Date(ms))))),
  );

  it('encodes every parsed certificate like the library', () => {
    const random = createSeededRandom(1);
    const validity = { notBeforeMs: 0, notAfterMs: Date.UTC(2060, 0, 1) };
    const keys = {
      ec: generateKeyPair('ec-p256'),
      ed: generateKeyPair('ed25519'),
      rsa: generateKeyPair('rsa-2048'),
    };
    const name = { commonName: 'ca', organizations: [] };
    const text = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 40 });
    const key = fc.constantFrom(...Object.values(keys));
    fc.assert(
      fc.property(
        fc.record({
          issuer: key,
          subject: key,
          usages: fc.subarray([...usageNames]),
          dnsNames: fc.array(fc.domain(), { maxLength: 3 }),
        }),
        fc.record({ commonName: text, organizations: fc.array(text, { maxLength: 2 }) }),
        ({ issuer, subject: { publicKey }, usages, dnsNames }, subject) => {
          const authority = createCertificateAuthority(name, issuer, validity, random);
          const names = { dnsNames, ipAddresses: [], emailAddresses: [], uris: [] };
          const pem = issueCertificate({ subject, publicKey, usages, names, ...validity }, authority, random);
          const der = onePem(pem, 'CERTIFICATE');
          expect(hex(AsnConvert.serialize(AsnConvert.parse(der, Certificate)))).toBe(der.toString('hex'));
        },
      ),
      { numRuns: 40 },
    );
  });
});
