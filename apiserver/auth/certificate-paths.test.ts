import { X509Certificate, createPrivateKey, createPublicKey, generatePrimeSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  type CertificateAuthority,
  createCertificateAuthority,
  issueCertificate,
} from '../../base/pki/certificates.ts';
import { DerTag, bitString, element, explicit, oid, sequence } from '../../base/pki/der.ts';
import { readWhole } from '../../base/pki/der-reader.ts';
import { signBytes, signatureIdentifierDer } from '../../base/pki/algorithms.ts';
import { type KeyPair, generateKeyPair } from '../../base/pki/keys.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { createPathSearch } from './certificate-paths.ts';

const random = createSeededRandom(1);
const validity = { notBeforeMs: 0, notAfterMs: 86_400_000 };
const keys = generateKeyPair('ec-p256');
const authority = (commonName: string, pair = keys): CertificateAuthority =>
  createCertificateAuthority({ commonName, organizations: [] }, pair, validity, random);

/** Creates a new certificate object for each call, so that no search has cached it. */
const leafOf = (issuer: CertificateAuthority): X509Certificate => {
  const subject = { commonName: 'alice', organizations: [] };
  const template = { subject, publicKey: keys.publicKey, usages: ['client auth'], ...validity };
  return new X509Certificate(issueCertificate(template, issuer, random));
};

/** Returns a certificate for the subject and key of `below`, signed by `issuer`. */
function crossSigned(below: CertificateAuthority, issuer: CertificateAuthority): X509Certificate {
  const algorithm = signatureIdentifierDer(issuer.privateKey);
  const [body] = readWhole(below.certificate.raw, DerTag.sequence);
  const parts = body === undefined ? [] : readWhole(body.whole, DerTag.sequence).map(({ whole }) => whole);
  const basic = sequence(
    oid('2.5.29.19'),
    element(DerTag.octetString, sequence(element(1, Buffer.of(0xff)))),
  );
  const changed = [...parts.slice(0, 2), algorithm, issuer.subjectDer, ...parts.slice(4, 7)];
  const toBeSigned = sequence(...changed, element(explicit(3), sequence(basic)));
  const signature = bitString(signBytes(issuer.privateKey, toBeSigned));
  return new X509Certificate(sequence(toBeSigned, algorithm, signature));
}

const again = (certificate: X509Certificate): X509Certificate => new X509Certificate(certificate.raw);

/** Counts how often the signatures of the given certificates are verified. */
function counted(certificates: readonly X509Certificate[]): { count: number } {
  const calls = { count: 0 };
  for (const certificate of certificates)
    Object.defineProperty(certificate, 'verify', {
      value(key: Parameters<X509Certificate['verify']>[0]) {
        calls.count++;
        return X509Certificate.prototype.verify.call(certificate, key);
      },
    });
  return calls;
}

const root = authority('root');

describe('search for client certificate paths', () => {
  const middle = authority('middle', generateKeyPair('ec-p256'));
  const lower = authority('lower', generateKeyPair('ec-p384'));

  it('finds a path over the sent certificates in any order, with or without the root', () => {
    const search = createPathSearch([root.certificate]);
    const sent = [crossSigned(lower, middle), crossSigned(middle, root)];
    expect(search(leafOf(root), [])).toHaveLength(1);
    expect(search(leafOf(root), [again(root.certificate)])).toHaveLength(1);
    expect(search(leafOf(lower), sent)[0]).toHaveLength(4);
    expect(search(leafOf(lower), [...sent.toReversed(), again(root.certificate)])).toHaveLength(1);
    expect(search(leafOf(lower), sent.slice(0, 1))).toEqual([]);
    expect(search(leafOf(lower), [])).toEqual([]);
  });

  it('verifies one signature for each certificate of a path', () => {
    const leaf = leafOf(lower);
    const sent = [crossSigned(lower, middle), crossSigned(middle, root)];
    const calls = counted([leaf, ...sent]);
    createPathSearch([root.certificate, authority('other').certificate])(leaf, sent);
    expect(calls.count).toBe(3);
  });

  it('verifies no signature if no certificate names a root as its issuer', () => {
    const strangers = Array.from({ length: 10 }, () => authority('stranger').certificate);
    const leaf = leafOf(authority('stranger'));
    const calls = counted([leaf, ...strangers]);
    expect(createPathSearch([root.certificate])(leaf, strangers)).toEqual([]);
    expect(calls.count).toBe(0);
  });

  it('verifies a bounded number of signatures if many certificates name a root as issuer', () => {
    const forger = authority('root', generateKeyPair('ec-p256'));
    const forged = Array.from({ length: 60 }, () => crossSigned(middle, forger));
    const leaf = leafOf(forger);
    const calls = counted([leaf, ...forged]);
    expect(createPathSearch([root.certificate])(leaf, forged)).toEqual([]);
    expect(calls.count).toBeLessThanOrEqual(11);
  });

  it('verifies a bounded number of signatures if an authority signed many certificates that sign each other', () => {
    const twins = Array.from({ length: 10 }, () => crossSigned(root, root));
    const leaf = leafOf(authority('root', generateKeyPair('ec-p256')));
    const calls = counted([leaf, ...twins]);
    expect(createPathSearch([root.certificate])(leaf, twins)).toEqual([]);
    expect(calls.count).toBeLessThanOrEqual(20);
  });

  it('ignores a certificate over the size limit', () => {
    const organizations = Array.from({ length: 1_000 }, () => 'x'.repeat(60));
    const template = { publicKey: keys.publicKey, usages: ['client auth'], ...validity };
    const huge = issueCertificate({ ...template, subject: { commonName: 'a', organizations } }, root, random);
    expect(createPathSearch([root.certificate])(new X509Certificate(huge), [])).toEqual([]);
  });
});

describe("search for paths of an untrusted client's costly keys", () => {
  /** Returns the minimum processor time of ten searches, in milliseconds, over five measurements. */
  function costOf(search: () => void): number {
    const times = Array.from({ length: 5 }, () => {
      const start = process.cpuUsage();
      for (let at = 0; at < 10; at++) search();
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 10_000;
    });
    return Math.min(...times);
  }

  it('costs at most ten times as much as for a trusted client', () => {
    const search = createPathSearch([root.certificate]);
    const middle = authority('middle', generateKeyPair('ec-p256'));
    const [known, sent] = [leafOf(middle), crossSigned(middle, root)];
    const normal = costOf(() => expect(search(again(known), [again(sent)])).toHaveLength(1));
    const pair = costlyKeys();
    const self = Array.from({ length: 10 }, () => authority('stranger', pair).certificate);
    const leaf = leafOf(authority('stranger', pair));
    const costly = costOf(() => expect(search(again(leaf), self.map(again))).toEqual([]));
    expect(costly).toBeLessThan(10 * normal);
  });
});

/**
 * Generates RSA keys of 3072 bits with a public exponent of the same size. One verification takes as long as
 * 60 verifications with usual keys.
 */
function costlyKeys(): KeyPair {
  const [p, q] = [generatePrimeSync(1536, { bigint: true }), generatePrimeSync(1536, { bigint: true })];
  const phi = (p - 1n) * (q - 1n);
  let e = (1n << 3070n) + 1n;
  while (inverse(e, phi) === undefined) e += 2n;
  const d = inverse(e, phi) ?? 0n;
  const digits = (value: bigint): string => {
    const hex = value.toString(16);
    return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex').toString('base64url');
  };
  const numbers = { n: p * q, e, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: inverse(q, p) ?? 0n };
  const key = Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, digits(value)]));
  const privateKey = createPrivateKey({ key: { kty: 'RSA', ...key }, format: 'jwk' });
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

/** Returns the inverse of `value` modulo `modulus`. Returns undefined if they have a common divisor. */
function inverse(value: bigint, modulus: bigint): bigint | undefined {
  let [r0, r1, t0, t1] = [modulus, value % modulus, 0n, 1n];
  while (r1 !== 0n) {
    const quotient = r0 / r1;
    [r0, r1, t0, t1] = [r1, r0 - quotient * r1, t1, t0 - quotient * t1];
  }
  return r0 === 1n ? ((t0 % modulus) + modulus) % modulus : undefined;
}
