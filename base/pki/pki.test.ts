import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { service } from '../../test/services.ts';
import { createSeededRandom } from '../random/seeded.ts';
import {
  type CertificateAuthority,
  createCertificateAuthority,
  issueCertificate,
  loadCertificateAuthority,
} from './certificates.ts';
import { type KeyAlgorithm, generateKeyPair, privateKeyPem } from './keys.ts';
import { parsePem, toPem } from './pem.ts';
import { createCertificateRequest, parseCertificateRequest } from './request.ts';

const now = Date.UTC(2026, 0, 1);
const year = 365 * 86_400_000;
const random = createSeededRandom(1);
let directory = '';
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'pki-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const { path = '', missing } = service('openssl', 'certificates and requests between here and openssl');
const openssl = (...parameters: string[]): string =>
  execFileSync(path, parameters, { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] }).toString();
const authority = (algorithm: KeyAlgorithm): CertificateAuthority =>
  createCertificateAuthority(
    { commonName: 'test ca', organizations: [] },
    generateKeyPair(algorithm),
    { notBeforeMs: Date.now() - 60_000, notAfterMs: Date.now() + year },
    random,
  );

describe('certificate requests', () => {
  it.skipIf(missing).each([
    ['rsa', ['-newkey', 'rsa:2048']],
    ['P-256', ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256']],
    ['P-384', ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-384']],
    ['Ed25519', ['-newkey', 'ed25519']],
  ])('from openssl with a %s key are parsed and verified', (name, key) => {
    openssl(
      'req',
      '-new',
      ...key,
      '-nodes',
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.csr`,
      '-subj',
      '/O=devs/O=ops/CN=jane',
      '-addext',
      'subjectAltName=DNS:a.example,IP:10.1.2.3,IP:2001:db8::1,email:j@example.org,URI:spiffe://x/y',
    );
    const request = parseCertificateRequest(readFileSync(join(directory, `${name}.csr`)));
    expect(request.subject).toEqual({ commonName: 'jane', organizations: ['devs', 'ops'] });
    expect(request.dnsNames).toEqual(['a.example']);
    expect(request.ipAddresses).toEqual(['10.1.2.3', '2001:db8::1']);
    expect(request.emailAddresses).toEqual(['j@example.org']);
    expect(request.uris).toEqual(['spiffe://x/y']);
    expect(request.verify()).toBe(true);
  });

  it('fail verification if a signed byte has changed', () => {
    const pem = createCertificateRequest(generateKeyPair('ec-p256'), {
      commonName: 'jane',
      organizations: [],
    });
    const der = Buffer.from(parsePem(pem)[0]?.der ?? []);
    const at = der.indexOf('jane');
    der.write('joan', at);
    expect(parseCertificateRequest(toPem('CERTIFICATE REQUEST', der)).verify()).toBe(false);
  });

  it.skipIf(missing)('that createCertificateRequest creates are accepted by openssl', () => {
    const pem = createCertificateRequest(generateKeyPair('ec-p384'), {
      commonName: 'n',
      organizations: ['o'],
    });
    writeFileSync(join(directory, 'own.csr'), pem);
    expect(openssl('req', '-in', 'own.csr', '-noout', '-verify', '-subject')).toContain('CN = n');
  });

  it('with arbitrary bytes are rejected with a coded error', () => {
    const genuine =
      parsePem(
        createCertificateRequest(generateKeyPair('ec-p256'), { commonName: 'x', organizations: [] }),
      )[0]?.der ?? Buffer.alloc(0);
    const mutated = fc
      .tuple(fc.nat(genuine.length - 1), fc.integer({ min: 0, max: 255 }))
      .map(([at, byte]) => {
        const copy = Buffer.from(genuine);
        copy[at] = byte;
        return copy;
      });
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 400 }), mutated), (bytes) => {
        try {
          parseCertificateRequest(toPem('CERTIFICATE REQUEST', bytes)).verify();
        } catch (thrown) {
          expect(thrown).toHaveProperty('code', 'ERR_CERTIFICATE_REQUEST');
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('certificates', () => {
  it.skipIf(missing).each<[KeyAlgorithm, KeyAlgorithm]>([
    ['rsa-2048', 'ec-p256'],
    ['ec-p256', 'rsa-2048'],
    ['ec-p384', 'ed25519'],
  ])('signed by a %s authority for a %s key are accepted by openssl verify', (issuer, holder) => {
    const ca = authority(issuer);
    const pem = issueCertificate(
      {
        subject: { commonName: 'web', organizations: ['devs'] },
        publicKey: generateKeyPair(holder).publicKey,
        notBeforeMs: Date.now() - 60_000,
        notAfterMs: Date.now() + 3_600_000,
        usages: ['digital signature', 'server auth'],
        names: { dnsNames: ['web.example'], ipAddresses: ['127.0.0.1', '::1'], emailAddresses: [], uris: [] },
      },
      ca,
      random,
    );
    writeFileSync(join(directory, 'ca.crt'), ca.certificatePem);
    writeFileSync(join(directory, 'web.crt'), pem);
    expect(
      openssl('verify', '-x509_strict', '-purpose', 'sslserver', '-CAfile', 'ca.crt', 'web.crt'),
    ).toContain('OK');
    const text = openssl('x509', '-in', 'web.crt', '-noout', '-text');
    expect(text).toContain('CA:FALSE');
    expect(text).toContain('TLS Web Server Authentication');
    expect(new X509Certificate(pem).subjectAltName).toBe(
      'DNS:web.example, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
    );
    expect(new X509Certificate(pem).verify(ca.certificate.publicKey)).toBe(true);
  });

  it('have the same issuer if a CA is loaded from files', () => {
    const ca = authority('ec-p256');
    const again = loadCertificateAuthority(ca.certificatePem, privateKeyPem(ca.privateKey));
    expect(again.subjectDer.equals(ca.subjectDer)).toBe(true);
    expect(again.keyIdentifier?.equals(ca.keyIdentifier ?? Buffer.alloc(0))).toBe(true);
  });

  it('have whole seconds and a positive serial number of 16 bytes', () => {
    const ca = createCertificateAuthority(
      { commonName: 'c', organizations: [] },
      generateKeyPair('ec-p256'),
      { notBeforeMs: now + 999, notAfterMs: now + year + 1 },
      random,
    );
    expect(ca.certificate.validFrom).toContain('Jan  1 00:00:00 2026');
    expect(ca.certificate.serialNumber).toMatch(/^[4-7][0-9A-F]{31}$/);
  });
});
