import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { service } from '../../test/services.ts';
import {
  COMMON_NAME,
  ORGANIZATION,
  rawExtensionRequest,
  rawName,
  rawRequest,
} from '../../test/world/raw-request.ts';
import { noAlternativeNames, writeAlternativeNames } from './alternative-names.ts';
import { DerTag, bitString, element, oid, sequence } from './der.ts';
import { readWhole } from './der-reader.ts';
import { parsePem, toPem } from './pem.ts';
import { parseCertificateRequest } from './request.ts';

const SAN = '2.5.29.17';
const MICROSOFT = '1.3.6.1.4.1.311.2.1.14';
const subject = rawName([COMMON_NAME, 0x0c, 'jane']);
const names = (dnsName: string): Buffer =>
  writeAlternativeNames({ ...noAlternativeNames, dnsNames: [dnsName] });
const asking = (dnsName: string, type?: string): Buffer => rawExtensionRequest([[SAN, names(dnsName)]], type);
const twice = sequence(
  oid('1.2.840.113549.1.9.14'),
  element(DerTag.set, ...['a', 'b'].map((name) => sequence(sequence(oid(SAN), element(4, names(name)))))),
);
const rsa = (modulusLength: number, publicExponent: number) =>
  generateKeyPairSync('rsa', { modulusLength, publicExponent });

describe('certificate request', () => {
  it.each<[string, Parameters<typeof rawRequest>[0], string]>([
    [
      'with two common names',
      { subject: rawName([COMMON_NAME, 0x0c, 'a'], [COMMON_NAME, 0x0c, 'b']) },
      'subject of the certificate request: 2 common names, expected at most one',
    ],
    [
      'with an organization in a UniversalString',
      { subject: rawName([ORGANIZATION, 0x1c, 'aaaa']) },
      'subject of the certificate request: attribute O (organization): string type 0x1c is not supported',
    ],
    [
      'with a NUL in its common name',
      { subject: rawName([COMMON_NAME, 0x0c, 'a\0b']) },
      'subject of the certificate request: attribute CN (common name): a string with a control character',
    ],
    [
      'with an unrelated attribute in a BIT STRING',
      { subject: rawName(['2.5.4.45', 0x03, '\0a']) },
      'subject of the certificate request: attribute 2.5.4.45: string type 0x03 is not supported',
    ],
    [
      'with two extensions of alternative names',
      {
        subject,
        attributes: [
          rawExtensionRequest([
            [SAN, names('a')],
            [SAN, names('b')],
          ]),
        ],
      },
      'extension 2.5.29.17 occurs twice',
    ],
    [
      'with two lists of extensions',
      { subject, attributes: [asking('a'), asking('b')] },
      '2 lists of requested extensions, expected at most one',
    ],
    [
      'with extensions in the PKCS#9 and the Microsoft attribute',
      { subject, attributes: [asking('a'), asking('b', MICROSOFT)] },
      '2 lists of requested extensions, expected at most one',
    ],
    [
      'with two lists of extensions in one attribute',
      { subject, attributes: [twice] },
      '2 lists of requested extensions, expected at most one',
    ],
    [
      'with a NUL in an alternative name',
      {
        subject,
        attributes: [rawExtensionRequest([[SAN, sequence(element(0x82, Buffer.from('good\0evil')))]])],
      },
      'alternative names of the certificate request: DNS alternative name has other characters',
    ],
    [
      'with trailing bytes after the alternative names',
      { subject, attributes: [rawExtensionRequest([[SAN, Buffer.concat([names('a'), Buffer.of(0)])]])] },
      'alternative names of the certificate request: malformed DER: trailing bytes',
    ],
    [
      'with an RSA key of 1024 bits',
      { subject, keys: rsa(1024, 65537) },
      'public key of the certificate request: RSA modulus of 1024 bits, expected 2048 to 8192',
    ],
  ])('is rejected %s', (_what, request, message) => {
    expect(() => parseCertificateRequest(rawRequest(request))).toThrow(
      expect.objectContaining({
        code: 'ERR_CERTIFICATE_REQUEST',
        message: expect.stringContaining(message),
      }),
    );
  });

  it('with RSA exponent 1 is rejected before the key is used', () => {
    const number = Buffer.alloc(257, 0xff).fill(0, 0, 1);
    const key = sequence(element(2, number), element(2, Buffer.of(1)));
    const spki = sequence(sequence(oid('1.2.840.113549.1.1.1'), element(5)), bitString(key));
    const info = sequence(element(2, Buffer.of(0)), subject, spki, element(0xa0));
    // With exponent 1, the signature is the padded digest itself, so no private key is needed.
    const algorithm = sequence(oid('1.2.840.113549.1.1.11'), element(5));
    const pem = toPem('CERTIFICATE REQUEST', sequence(info, algorithm, bitString(Buffer.alloc(256))));
    expect(() => parseCertificateRequest(pem)).toThrow('RSA public exponent is not an odd number above 1');
  });

  it('may have its alternative names in the Microsoft attribute', () => {
    const pem = rawRequest({ subject, attributes: [asking('a.example', MICROSOFT)] });
    expect(parseCertificateRequest(pem).dnsNames).toEqual(['a.example']);
  });

  it('is rejected with another PEM block in any position', () => {
    const pem = rawRequest({ subject });
    const odd = '-----BEGIN CERTIFICATE REQUEST-----\nA\n-----END CERTIFICATE REQUEST-----\n';
    for (const text of [pem + pem, odd + pem, pem + odd, `-----BEGIN X-----\n${pem}`])
      expect(() => parseCertificateRequest(text)).toThrow(expect.objectContaining({ code: 'ERR_PEM' }));
    expect(parseCertificateRequest(`Certificate Request:\n    Data:\n${pem}\n`).verify()).toBe(true);
  });

  it('is rejected with an additional element in any structure', () => {
    const der = parsePem(rawRequest({ subject }))[0]?.der ?? Buffer.alloc(0);
    const [info, algorithm, signature] = readWhole(der, DerTag.sequence);
    if (info === undefined || algorithm === undefined || signature === undefined) return expect.unreachable();
    const more = element(5);
    const parse = (...parts: Buffer[]) =>
      parseCertificateRequest(toPem('CERTIFICATE REQUEST', sequence(...parts)));
    expect(parse(info.whole, algorithm.whole, signature.whole).subject.commonName).toBe('jane');
    for (const parts of [
      [info.whole, algorithm.whole, signature.whole, more],
      [sequence(info.content, more), algorithm.whole, signature.whole],
    ])
      expect(() => parse(...parts)).toThrow('unexpected element');
  });
});

const { path = '', missing } = service('openssl', 'requests by openssl in every string type');

describe.skipIf(missing)('certificate request created by openssl', () => {
  const directory = mkdtempSync(join(tmpdir(), 'requests-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  const openssl = (...parameters: string[]): string =>
    execFileSync(path, parameters, { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] }).toString();

  it.each(['utf8only', 'default', 'pkix', 'nombstr'])(
    'with string mask %s is parsed like openssl parses it',
    (mask) => {
      writeFileSync(
        join(directory, 'openssl.cnf'),
        `[req]\nstring_mask = ${mask}\ndistinguished_name = dn\n[dn]\n`,
      );
      const parts =
        '/C=DE/ST=Berlin/L=x/DC=example/O=Täg/OU=unit/serialNumber=1/emailAddress=a@b.c/O=ops/CN=jané';
      const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', 'key.pem'];
      const subjectOptions = ['-utf8', '-multivalue-rdn', '-subj', parts];
      openssl('req', '-new', '-config', 'openssl.cnf', ...key, ...subjectOptions, '-out', 'it.csr');
      const request = parseCertificateRequest(readFileSync(join(directory, 'it.csr')));
      expect(request.subject).toEqual({ commonName: 'jané', organizations: ['Täg', 'ops'] });
      expect(request.verify()).toBe(true);
      const shown = openssl(
        'req',
        '-in',
        'it.csr',
        '-noout',
        '-subject',
        '-nameopt',
        'multiline,utf8,-esc_msb',
      );
      expect(shown).toMatch(/commonName += jané/);
    },
  );
});
