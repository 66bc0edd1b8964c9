import { X509Certificate, createPrivateKey } from 'node:crypto';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { CodedError, messageOf } from '../../base/errors/index.ts';
import { createPkcs12 } from '../../base/pki/index.ts';
import { type ClientIdentity, loadClientIdentity } from '../../runtime/client/index.ts';
import { createPrivate, readRequired } from '../files/files.ts';
import { type FlagValues, UsageError, path, text, toggle } from '../flags/flags.ts';
import { configFile } from './client-config.ts';
import type { connectionFlags } from './connection-flags.ts';

/** Flags of `config export-p12`. */
export const exportFlags = {
  user: text('', 'user of the client configuration; default that of the context'),
  output: path('client.p12', 'file to write, readable by its owner alone'),
  'password-file': text('', 'file with the password in its first line; default a prompt'),
  'empty-password': toggle(false, 'write the file without a password'),
  legacy: toggle(false, 'encrypt with 3DES and SHA-1, which macOS before 15 needs'),
  force: toggle(false, 'replace an existing file'),
};

/** Flags that select the client configuration. */
export type ConfigFlags = Pick<typeof connectionFlags, 'kubeconfig' | 'context'>;

type Flags = FlagValues<typeof exportFlags & ConfigFlags>;

/**
 * Writes the client certificate and key of a user to a PKCS#12 file with mode 0600. Sends no request.
 *
 * Throws `ERR_CLIENT_CERTIFICATE` without a certificate and its key, `ERR_USAGE` for a missing password, and
 * `ERR_FILE` for an existing file without `--force`.
 */
export async function exportPkcs12(words: readonly string[], flags: Flags): Promise<number> {
  if (words.length > 0) throw new UsageError(`config export-p12 takes no words, found ${words.join(' ')}`);
  const { path: from, text: content } = await configFile(flags);
  const identity = await loadClientIdentity(
    content,
    { path: from, readFile: readRequired, ...(flags.context !== '' && { context: flags.context }) },
    flags.user === '' ? undefined : flags.user,
  );
  const pair = readPair(identity);
  const password = await passwordOf(flags);
  const file = createPkcs12({ ...pair, name: identity.user, password, legacy: flags.legacy });
  await createPrivate(flags.output, file, flags.force);
  process.stdout.write(`${flags.output} written: certificate and key of ${identity.user}\n`);
  return 0;
}

function readPair({ user, certificate, key }: ClientIdentity) {
  const wrong = (what: string): CodedError<'ERR_CLIENT_CERTIFICATE'> =>
    new CodedError('ERR_CLIENT_CERTIFICATE', `user ${JSON.stringify(user)}: ${what}`);
  try {
    const privateKey = createPrivateKey(key);
    const blocks = certificate.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
    const certificates = blocks.map((block) => new X509Certificate(block));
    if (certificates[0]?.checkPrivateKey(privateKey) !== true)
      throw wrong('the first certificate and the key do not belong together');
    return { privateKey, certificates: certificates.map(({ raw }) => raw) };
  } catch (thrown) {
    if (thrown instanceof CodedError) throw thrown;
    throw wrong(`expected a certificate and an unencrypted key in PEM: ${messageOf(thrown)}`);
  }
}

async function passwordOf(flags: Flags): Promise<string> {
  const file = flags['password-file'];
  if (flags['empty-password']) {
    if (file !== '') throw new UsageError('--empty-password and --password-file exclude each other');
    return '';
  }
  const password = file === '' ? await promptTwice() : firstLine(await readRequired(file));
  if (password === '') throw new UsageError('the password is empty; --empty-password accepts that');
  return password;
}

const firstLine = (content: string): string => content.split(/\r?\n/, 1)[0] ?? '';

async function promptTwice(): Promise<string> {
  if (process.stdin.isTTY !== true)
    throw new UsageError('--password-file must be set: standard input is no terminal to prompt at');
  const password = await prompt('Password of the file: ');
  if ((await prompt('The same again: ')) !== password) throw new UsageError('the two passwords differ');
  return password;
}

/** Reads a line from the terminal without displaying it. */
function prompt(question: string): Promise<string> {
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: hidden, terminal: true });
  process.stderr.write(question);
  return new Promise((resolve, reject) => {
    lines.once('close', () => reject(new UsageError('no password was entered')));
    lines.question('', (answer) => {
      process.stderr.write('\n');
      resolve(answer);
      lines.close();
    });
  });
}
