import { X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSeededRandom } from '../random/seeded.ts';
import {
  type AlternativeNames,
  alternativeNamesFault,
  noAlternativeNames,
  readAlternativeNames,
  writeAlternativeNames,
} from './alternative-names.ts';
import { createCertificateAuthority, issueCertificate } from './certificates.ts';
import { element, sequence } from './der.ts';
import { generateKeyPair } from './keys.ts';

const validity = { notBeforeMs: 0, notAfterMs: 86_400_000 };
const keys = generateKeyPair('ec-p256');
const random = createSeededRandom(1);
const ca = createCertificateAuthority({ commonName: 'ca', organizations: [] }, keys, validity, random);
const refused = expect.objectContaining({ code: 'ERR_DER' });
const ip = fc.oneof(fc.ipV4(), fc.ipV6());

describe('alternative names', () => {
  it('are parsed as written, like Node.js parses them', () => {
    const plain = fc.stringMatching(/^[a-z0-9.*-]{1,20}$/);
    const some = fc.array(plain, { maxLength: 3 });
    const names = fc.record({
      dnsNames: some,
      emailAddresses: fc.array(
        plain.map((each) => `a@${each}`),
        { maxLength: 3 },
      ),
      uris: fc.array(
        plain.map((each) => `spiffe://${each}`),
        { maxLength: 3 },
      ),
      ipAddresses: fc.array(ip, { maxLength: 3 }),
    });
    fc.assert(
      fc.property(names, (wanted: AlternativeNames) => {
        if (Object.values(wanted).every((each) => each.length === 0)) return;
        const read = readAlternativeNames(writeAlternativeNames(wanted));
        expect({ ...read, ipAddresses: [] }).toEqual({ ...wanted, ipAddresses: [], otherKinds: [] });
        const template = { subject: { commonName: 'x', organizations: [] }, publicKey: keys.publicKey };
        const pem = issueCertificate({ ...template, ...validity, usages: [], names: wanted }, ca, random);
        const certificate = new X509Certificate(pem);
        for (const address of read.ipAddresses) expect(certificate.checkIP(address)).toBe(address);
        expect(certificate.subjectAltName?.match(/\bDNS:|IP Address:|email:|URI:/g)).toHaveLength(
          Object.values(wanted).flat().length,
        );
      }),
      { numRuns: 100 },
    );
  });

  it('differ for an IPv4 address and its IPv4-mapped IPv6 address', () => {
    const ipAddresses = ['10.0.0.1', '::ffff:a00:1', '::', '2001:db8::1:0:0:1'];
    const written = writeAlternativeNames({ ...noAlternativeNames, ipAddresses });
    expect(readAlternativeNames(written).ipAddresses).toEqual(ipAddresses);
  });

  it.each([
    ['a DNS name that is not ASCII', 0x82, 'é'],
    ['a NUL in a DNS name', 0x82, 'good.example\0.evil.example'],
    ['a line end in a DNS name', 0x82, 'a\nb'],
    ['an empty DNS name', 0x82, ''],
    ['a NUL in an email address', 0x81, 'a@b\0c'],
    ['an email address that is not ASCII', 0x81, 'é@b'],
    ['a NUL in a URI', 0x86, 'spiffe://a\0b'],
    ['a URI that is not ASCII', 0x86, 'https://é'],
    ['a URI with a line end', 0x86, 'https://a\n'],
    ['an address of 3 bytes', 0x87, '\n\u000b\f'],
    ['an address with a mask', 0x87, '\n\0\0\0\u00ff\0\0\0'],
    ['a constructed DNS name', 0xa2, ''],
    ['a kind that does not exist', 0x89, 'x'],
  ])('are rejected with %s', (_what, tag, content) => {
    const der = sequence(element(0x82, Buffer.from('a')), element(tag, Buffer.from(content, 'latin1')));
    expect(() => readAlternativeNames(der)).toThrow(refused);
  });

  it('are rejected if empty or with trailing bytes', () => {
    expect(() => readAlternativeNames(sequence())).toThrow(refused);
    const one = sequence(element(0x82, Buffer.from('a')));
    expect(() => readAlternativeNames(Buffer.concat([one, Buffer.of(0)]))).toThrow(refused);
  });

  it.each([
    [0xa0, 'otherName'],
    [0xa3, 'x400Address'],
    [0xa4, 'directoryName'],
    [0xa5, 'ediPartyName'],
    [0x88, 'registeredID'],
  ])('report type 0x%x, %s, and prevent the issue of a certificate', (tag, kind) => {
    const names = readAlternativeNames(sequence(element(0x82, Buffer.from('a')), element(tag)));
    expect(names).toMatchObject({ dnsNames: ['a'], otherKinds: [kind] });
    expect(alternativeNamesFault(names)).toContain(`${kind} subjectAltNames are not supported`);
    expect(alternativeNamesFault({ ...names, otherKinds: [] })).toBeUndefined();
  });

  it.each(['Ā.example', 'a\0b', ''])('are not encoded with %j', (name) => {
    expect(() => writeAlternativeNames({ ...noAlternativeNames, dnsNames: [name] })).toThrow(refused);
  });
});
