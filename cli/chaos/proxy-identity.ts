import { isIP } from 'node:net';
import type { ListenerTls } from '../../apiserver/http/index.ts';
import type { Environment } from '../../base/environment.ts';
import {
  createCertificateAuthority,
  generateKeyPair,
  issueCertificate,
  privateKeyPem,
} from '../../base/pki/index.ts';
import { clientConfig } from '../files/client-configs.ts';

const DAY_MS = 86_400_000;
const LIFETIME_MS = 365 * DAY_MS;

/** Returns the client configuration for a program that uses the proxy. */
export const configFor = (server: string, ca: string | undefined, token: string | undefined): string =>
  clientConfig({
    cluster: 'chaos-proxy',
    user: 'controller-under-test',
    server,
    ca,
    credentials: token === undefined ? undefined : { token },
  });

/** Issues a certificate for a loopback host with a new CA, valid for a year. */
export function selfMade(
  host: string,
  { clock, random }: Pick<Environment, 'clock' | 'random'>,
): { tls: ListenerTls; caPem: string } {
  const now = clock.now();
  const validity = { notBeforeMs: now - DAY_MS, notAfterMs: now + LIFETIME_MS };
  const subject = (commonName: string) => ({ commonName, organizations: [] });
  const ca = createCertificateAuthority(
    subject('chaos-proxy-ca'),
    generateKeyPair('ec-p256'),
    validity,
    random,
  );
  const pair = generateKeyPair('ec-p256');
  const hosts = [...new Set(['localhost', '127.0.0.1', '::1', host])];
  const cert = issueCertificate(
    {
      subject: subject('chaos-proxy'),
      publicKey: pair.publicKey,
      usages: ['digital signature', 'server auth'],
      ...validity,
      names: {
        dnsNames: hosts.filter((each) => isIP(each) === 0),
        ipAddresses: hosts.filter((each) => isIP(each) !== 0),
        emailAddresses: [],
        uris: [],
      },
    },
    ca,
    random,
  );
  return { tls: { cert, key: privateKeyPem(pair.privateKey) }, caPem: ca.certificatePem };
}
