import tls from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { createSystemClock } from '../../../base/clock/system.ts';
import { silentLogger } from '../../../base/log/logger.ts';
import { createCertificateAuthority } from '../../../base/pki/certificates.ts';
import { generateKeyPair, privateKeyPem } from '../../../base/pki/keys.ts';
import { createSeededRandom } from '../../../base/random/seeded.ts';
import { createListener } from './listener.ts';
import { type TlsProtocol, tlsCipherSuites, tlsProtocol } from './tls-protocol.ts';

const clock = createSystemClock();
const { certificatePem: cert, privateKey } = createCertificateAuthority(
  { commonName: 'server', organizations: [] },
  generateKeyPair('ec-p256'),
  { notBeforeMs: clock.now() - 60_000, notAfterMs: clock.now() + 3_600_000 },
  createSeededRandom(1),
);
const credential = { key: privateKeyPem(privateKey), cert };

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/**
 * Starts a listener with `protocol`. Returns a function that connects and resolves with the negotiated
 * version and suite, or with `refused`.
 */
async function listening(protocol: TlsProtocol, isRenewed = false) {
  const listener = createListener({
    handler: () => Promise.resolve({ status: 200, headers: {}, body: new Uint8Array() }),
    host: '127.0.0.1',
    port: 0,
    tls: credential,
    protocol,
    clock,
    log: silentLogger,
  });
  await listener.start();
  stops.push(() => listener.stop());
  if (isRenewed) listener.renew(credential);
  return (options: tls.ConnectionOptions = {}): Promise<string> =>
    new Promise((resolve) => {
      const { host, port } = listener.address();
      const socket = tls.connect({ host, port, rejectUnauthorized: false, ...options }, () => {
        resolve(`${socket.getProtocol() ?? ''} ${socket.getCipher().standardName}`);
        socket.destroy();
      });
      socket.on('error', () => resolve('refused'));
    });
}

const SUITE = 'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384';
const TLS12 = { maxVersion: 'TLSv1.2' } as const;

describe('the TLS protocol of a listener', () => {
  it.each([false, true])('uses only the chosen cipher suites (after a renewal: %s)', async (isRenewed) => {
    const connect = await listening(tlsProtocol('VersionTLS12', [SUITE]), isRenewed);
    expect(await connect(TLS12)).toBe(`TLSv1.2 ${SUITE}`);
    expect(await connect({ ...TLS12, ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' })).toBe('refused');
    expect(await connect({ ciphers: 'TLS_CHACHA20_POLY1305_SHA256' })).toBe(
      'TLSv1.3 TLS_CHACHA20_POLY1305_SHA256',
    );
  });

  it('rejects versions below the minimum', async () => {
    const connect = await listening(tlsProtocol('VersionTLS13', []));
    expect(await connect(TLS12)).toBe('refused');
    expect(await connect()).toMatch(/^TLSv1.3 /);
    const either = await listening(tlsProtocol('VersionTLS12', []));
    expect(await either(TLS12)).toMatch(/^TLSv1.2 /);
  });

  it('maps every cipher suite to a name that OpenSSL knows', () => {
    const known = new Set(tls.getCiphers());
    for (const name of tlsCipherSuites)
      for (const own of (tlsProtocol('VersionTLS12', [name]).ciphers ?? '').split(':'))
        expect(known).toContain(own.toLowerCase());
  });
});
