import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSeededRandom } from '../random/seeded.ts';
import { createCertificateAuthority } from './certificates.ts';
import { readPathConstraints } from './constraints.ts';
import { generateKeyPair } from './keys.ts';

const { certificate } = createCertificateAuthority(
  { commonName: 'ca', organizations: [] },
  generateKeyPair('ec-p256'),
  { notBeforeMs: 0, notAfterMs: 1_000_000 },
  createSeededRandom(1),
);

it('path constraints of a certificate are parsed', () => {
  expect(readPathConstraints(certificate.raw)).toEqual({
    pathLength: undefined,
    constrainsNames: false,
    hasNames: false,
    isUnknown: false,
  });
});

it('path constraints of unreadable input are unknown', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(readPathConstraints(bytes).isUnknown).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

it('path constraints of a damaged certificate are read without an exception', () => {
  fc.assert(
    fc.property(fc.nat(certificate.raw.length - 1), fc.nat(255), (at, byte) => {
      const damaged = Buffer.from(certificate.raw);
      damaged[at] = byte;
      expect(typeof readPathConstraints(damaged).isUnknown).toBe('boolean');
    }),
    { numRuns: 2_000 },
  );
});
