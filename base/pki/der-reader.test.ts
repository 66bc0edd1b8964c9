import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createSeededRandom } from '../random/seeded.ts';
import { createCertificateAuthority, issueCertificate, issueCertificateAside } from './certificates.ts';
import { DerTag, element, oid, sequence, time } from './der.ts';
import { expectTag, readElement, readElements, readOid, readTime, readWhole } from './der-reader.ts';
import { generateKeyPair } from './keys.ts';
import { onePem } from './pem.ts';
import { readCertificate } from './read-certificate.ts';

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');

describe('DER reader', () => {
  it.each([0, 0x7f, 0x80, 0xff, 0x100, 0xffff, 0x10000])('reads an encoded element of %d bytes', (length) => {
    const content = Buffer.alloc(length, 7);
    const read = readElement(element(DerTag.octetString, content));
    expect(read.tag).toBe(DerTag.octetString);
    expect(read.content.equals(content)).toBe(true);
  });

  it.each([
    ['an element that is cut off', '04 03 01 02'],
    ['empty input', ''],
    ['a tag without a length', '04'],
    ['an indefinite length', '30 80 00 00'],
    ['a length that is not in its shortest form', '04 81 01 00'],
    ['a length with a leading zero', '04 82 00 81'],
    ['a length of four bytes', '04 84 01 00 00 00'],
    ['a tag of several bytes', '1f 81 01 00'],
  ])('rejects %s', (_what, hex) => {
    expect(() => readElement(bytes(hex))).toThrow(expect.objectContaining({ code: 'ERR_DER' }));
  });

  it('rejects another tag, a missing element and trailing bytes', () => {
    const [only] = readWhole(sequence(oid('2.5.4.3')), DerTag.sequence);
    expect(() => expectTag(only, DerTag.integer)).toThrow('expected tag 2, found 6');
    expect(() => expectTag(undefined, DerTag.integer)).toThrow('found nothing');
    expect(() => readWhole(bytes('30 00 00'), DerTag.sequence)).toThrow('trailing bytes');
  });

  it.each(['2.5.29.37.0', '1.2.840.10045.4.3.2', '1.3.6.1.4.1.311.10.3.3', '0.9.2342', '2.999.1'])(
    'reads the object identifier %s',
    (dotted) => {
      // The writer does not support a first arc of two bytes.
      const written = dotted === '2.999.1' ? bytes('06 03 88 37 01') : oid(dotted);
      expect(readOid(readElement(written))).toBe(dotted);
    },
  );

  it.each([0, Date.UTC(1999, 11, 31), Date.UTC(2049, 11, 31, 23, 59, 59), Date.UTC(2050, 0, 1)])(
    'reads the time %d',
    (ms) => expect(readTime(readElement(time(ms)))).toBe(ms),
  );

  it('rejects a time in another format', () => {
    const [local] = readElements(element(DerTag.utcTime, Buffer.from('260101000000+0100')));
    expect(() => local && readTime(local)).toThrow(expect.objectContaining({ code: 'ERR_DER' }));
  });
});

describe('parsed certificate', () => {
  const validity = { notBeforeMs: 0, notAfterMs: Date.UTC(2060, 0, 1, 2, 3, 4) };
  const authorityOf = (algorithm: 'rsa-2048' | 'ec-p256') =>
    createCertificateAuthority(
      { commonName: 'ca', organizations: [] },
      generateKeyPair(algorithm),
      validity,
      createSeededRandom(1),
    );

  it.each(['rsa-2048', 'ec-p256'] as const)(
    'with a key of type %s has the expiry that Node.js reports',
    (algorithm) => {
      const { certificate } = authorityOf(algorithm);
      expect(readCertificate(certificate.raw).notAfterMs).toBe(Date.parse(certificate.validTo));
    },
  );

  it('does not exist for truncated or damaged input, which is rejected with ERR_DER', () => {
    const { raw } = authorityOf('ec-p256').certificate;
    for (let length = 0; length < raw.length; length++)
      expect(() => readCertificate(raw.subarray(0, length))).toThrow(
        expect.objectContaining({ code: 'ERR_DER' }),
      );
    let refused = 0;
    for (let at = 0; at < raw.length; at++) {
      const changed = Buffer.from(raw);
      changed[at] = (changed[at] ?? 0) ^ 0x1f;
      try {
        readCertificate(changed);
      } catch (thrown) {
        expect(thrown).toHaveProperty('code', 'ERR_DER');
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(60);
  });

  it.each(['rsa-2048', 'ec-p256'] as const)(
    'is the same for an %s key, whether signed on another thread or synchronously',
    async (algorithm) => {
      const authority = authorityOf(algorithm);
      const { publicKey } = generateKeyPair('ec-p256');
      const der = publicKey.export({ type: 'spki', format: 'der' });
      const template = {
        subject: { commonName: 'a', organizations: [] },
        usages: ['client auth'],
        ...validity,
      };
      const aside = await issueCertificateAside(
        { ...template, publicKey: der },
        authority,
        createSeededRandom(2),
      );
      const atOnce = issueCertificate({ ...template, publicKey }, authority, createSeededRandom(2));
      const body = (pem: string) =>
        readWhole(onePem(pem, 'CERTIFICATE'), DerTag.sequence)[0]?.whole.toString('hex');
      expect(body(aside)).toBe(body(atOnce));
      expect(new X509Certificate(aside).verify(authority.certificate.publicKey)).toBe(true);
    },
  );
});
