import { execFileSync } from 'node:child_process';
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createPkcs12 } from './pkcs12.ts';

const directory = mkdtempSync(join(tmpdir(), 'pkcs12-'));
afterAll(() => rmSync(directory, { recursive: true }));

const openssl = (...words: string[]): string =>
  execFileSync('openssl', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** Returns a key and its self-signed certificate in PEM, created by openssl. */
function identityOf(privateKey: KeyObject): { readonly privateKey: KeyObject; readonly pem: string } {
  const file = join(directory, 'key.pem');
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  return {
    privateKey,
    pem: openssl('req', '-x509', '-new', '-key', file, '-subj', '/CN=Jane', '-days', '2'),
  };
}
const derOf = (pem: string): Buffer => Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64');

const keys = {
  'EC P-256': () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  'EC P-384': () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  'RSA 2048': () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  Ed25519: () => generateKeyPairSync('ed25519'),
};

it.each([
  ['EC P-256', 'secret', false, 'PBES2, PBKDF2, AES-256-CBC, Iteration 20000, PRF hmacWithSHA256', 'sha256'],
  ['EC P-384', 'pässwörd €', false, 'AES-256-CBC', 'sha256'],
  ['RSA 2048', 'a b', false, 'AES-256-CBC', 'sha256'],
  ['Ed25519', '', false, 'AES-256-CBC', 'sha256'],
  ['EC P-256', 'pässwörd', true, 'pbeWithSHA1And3-KeyTripleDES-CBC', 'sha1'],
  ['RSA 2048', 'secret', true, 'pbeWithSHA1And3-KeyTripleDES-CBC', 'sha1'],
] as const)('openssl reads a %s key with password %j, legacy %s', (type, password, legacy, cipher, mac) => {
  const { privateKey, pem } = identityOf(keys[type]().privateKey);
  const issuer = identityOf(keys['EC P-256']().privateKey).pem;
  const file = join(directory, 'identity.p12');
  const certificates = [derOf(pem), derOf(issuer)];
  writeFileSync(file, createPkcs12({ privateKey, certificates, name: 'Jane ä', password, legacy }));
  const read = (...words: string[]): string =>
    openssl('pkcs12', '-in', file, '-passin', `pass:${password}`, ...words);

  // openssl writes the description of the file to standard error.
  const described = execFileSync('sh', [
    '-c',
    'openssl pkcs12 -info -in "$1" -passin "pass:$2" -nodes 2>&1',
    'sh',
    file,
    password,
  ]).toString();
  expect(described).toContain(`MAC: ${mac}, Iteration 20000`);
  expect(described).toContain(cipher);

  const key = createPrivateKey(read('-nocerts', '-nodes').replace(/^[^]*?(?=-----BEGIN)/, ''));
  expect(key.equals(privateKey)).toBe(true);
  const blocks = read('-nokeys').match(/-----BEGIN [^]*?-----END CERTIFICATE-----/g) ?? [];
  expect(blocks.map(derOf)).toEqual(certificates);
  expect(derOf(read('-nokeys', '-clcerts').match(/-----BEGIN[^]*-----END[^\n]*/)?.[0] ?? '')).toEqual(
    certificates[0],
  );
  expect(() => openssl('pkcs12', '-in', file, '-passin', 'pass:wrong', '-nodes')).toThrow('Mac verify error');
});

it('PKCS#12 files of one identity differ, as they are encrypted with random salts', () => {
  const { privateKey, pem } = identityOf(keys['EC P-256']().privateKey);
  const options = { privateKey, certificates: [derOf(pem)], name: 'Jane', password: 'secret' };
  const [one, two] = [createPkcs12(options), createPkcs12(options)];
  expect(one.equals(two)).toBe(false);
  expect(one.includes(privateKey.export({ type: 'pkcs8', format: 'der' }))).toBe(false);
});
