import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { exportPkcs12 } from './export-p12.ts';

const folder = mkdtempSync(join(tmpdir(), 'export-p12-'));
const output = join(folder, 'client.p12');
const kubeconfig = join(folder, 'config.yaml');
const passwordFile = join(folder, 'password');
const openssl = (...words: string[]): string =>
  execFileSync('openssl', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

beforeAll(() => {
  const files = ['jane', 'john'].map((name) => {
    const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const file = join(folder, `${name}.key`);
    writeFileSync(file, key.export({ type: 'pkcs8', format: 'pem' }));
    const certificate = openssl('req', '-x509', '-new', '-key', file, '-subj', `/CN=${name}`, '-days', '2');
    return { key: file, certificate: Buffer.from(certificate).toString('base64') };
  });
  const [jane, john] = files;
  const user = (name: string, fields: object) => ({ name, user: fields });
  const context = (name: string) => ({ name, context: { user: name, cluster: 'c' } });
  const content = {
    'current-context': 'jane',
    contexts: [context('jane'), context('token')],
    clusters: [],
    users: [
      user('jane', { 'client-certificate-data': jane?.certificate, 'client-key': jane?.key }),
      user('john', { 'client-certificate-data': john?.certificate, 'client-key': 'john.key' }),
      user('token', { token: 'abc' }),
      user('mixed', { 'client-certificate-data': jane?.certificate, 'client-key': john?.key }),
    ],
  };
  writeFileSync(kubeconfig, JSON.stringify(content));
  writeFileSync(passwordFile, 'secret\n');
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
});
beforeEach(() => rmSync(output, { force: true }));
afterAll(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

const exported = (flags: object = {}): Promise<number> =>
  exportPkcs12([], {
    kubeconfig,
    context: '',
    user: '',
    output,
    'password-file': passwordFile,
    'empty-password': false,
    legacy: false,
    force: false,
    ...flags,
  });
const subject = (password: string): string =>
  openssl('pkcs12', '-in', output, '-passin', `pass:${password}`, '-nokeys', '-clcerts');

it.each([
  ['of the current context', {}, 'jane'],
  ['in --user', { user: 'john' }, 'john'],
])(
  'writes key and certificate of the user %s to a file that only the owner can read',
  async (_, flags, name) => {
    expect(await exported(flags)).toBe(0);
    expect(statSync(output).mode & 0o777).toBe(0o600);
    expect(subject('secret')).toContain(`CN = ${name}`);
    const key = openssl('pkcs12', '-in', output, '-passin', 'pass:secret', '-nocerts', '-nodes');
    const expected = readFileSync(join(folder, `${name}.key`), 'utf8').trim();
    expect(key).toContain(expected);
  },
);

it('replaces a file only with --force', async () => {
  writeFileSync(output, 'kept', { mode: 0o644 });
  await expect(exported()).rejects.toMatchObject({
    code: 'ERR_FILE',
    message: `failed to write ${output}: it exists; --force replaces it`,
  });
  expect(readFileSync(output, 'utf8')).toBe('kept');
  await exported({ force: true });
  expect(statSync(output).mode & 0o777).toBe(0o600);
  expect(subject('secret')).toContain('CN = jane');
});

it('accepts an empty password only with --empty-password', async () => {
  const empty = join(folder, 'empty');
  writeFileSync(empty, '\n');
  await expect(exported({ 'password-file': empty })).rejects.toMatchObject({
    code: 'ERR_USAGE',
    message: 'the password is empty; --empty-password accepts that',
  });
  await expect(exported({ 'empty-password': true })).rejects.toMatchObject({ code: 'ERR_USAGE' });
  await exported({ 'password-file': '', 'empty-password': true });
  expect(subject('')).toContain('CN = jane');
});

it.each([
  [
    'has no certificate',
    { user: 'token' },
    'ERR_CLIENT_CERTIFICATE',
    'user "token" has no client certificate',
  ],
  ['of a context has none', { context: 'token' }, 'ERR_CLIENT_CERTIFICATE', 'user "token" has no'],
  ['has the key of another', { user: 'mixed' }, 'ERR_CLIENT_CERTIFICATE', 'do not belong together'],
  ['is unknown', { user: 'nobody' }, 'ERR_CONFIG', 'user "nobody" is not in users'],
])('rejects a user that %s', async (_, flags, code, message) => {
  await expect(exported(flags)).rejects.toMatchObject({
    code,
    message: expect.stringContaining(message) as string,
  });
});
