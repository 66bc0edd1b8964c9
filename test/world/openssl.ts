import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { service } from '../services.ts';

export type OpensslKey = 'ec' | 'ec-p384' | 'rsa' | 'ed25519';

const keyArguments: Readonly<Record<OpensslKey, readonly string[]>> = {
  ec: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
  'ec-p384': ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-384'],
  rsa: ['-newkey', 'rsa:2048'],
  ed25519: ['-newkey', 'ed25519'],
};

/** Creates a runner of the openssl program in a temporary directory. `close` removes the directory. */
export function createOpenssl(suite: string) {
  const { path = 'openssl', missing, reason } = service('openssl', suite);
  const folder = mkdtempSync(join(tmpdir(), 'openssl-'));
  const run = (...args: readonly string[]): string =>
    execFileSync(path, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return {
    missing,
    reason,
    /**
     * Creates a certificate request in PEM. `subject` has the form `/O=a/CN=b`, `names` the form
     * `DNS:x,IP:10.0.0.1`.
     */
    request(key: OpensslKey, subject: string, names?: string): string {
      const extension = names === undefined ? [] : ['-addext', `subjectAltName=${names}`];
      return run(
        'req',
        '-new',
        '-nodes',
        '-keyout',
        'key.pem',
        ...keyArguments[key],
        '-subj',
        subject,
        ...extension,
      );
    },
    /**
     * Runs `openssl verify`. Throws an error with its output unless the certificate chains to the CA at that
     * time and for that purpose.
     */
    verify(certificate: string, ca: string, atMs: number, purpose: string): string {
      writeFileSync(join(folder, 'cert.pem'), certificate);
      writeFileSync(join(folder, 'ca.pem'), ca);
      const at = String(Math.floor(atMs / 1000));
      return run(
        'verify',
        '-x509_strict',
        '-attime',
        at,
        '-purpose',
        purpose,
        '-CAfile',
        'ca.pem',
        'cert.pem',
      );
    },
    /** Returns the certificate in the text form of openssl. */
    text(certificate: string): string {
      writeFileSync(join(folder, 'cert.pem'), certificate);
      return run('x509', '-in', 'cert.pem', '-noout', '-text');
    },
    /** Returns the public key of a certificate or a request in PEM. */
    publicKey(kind: 'x509' | 'req', pem: string): string {
      writeFileSync(join(folder, 'it.pem'), pem);
      return run(kind, '-in', 'it.pem', '-noout', '-pubkey');
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
