import http2 from 'node:http2';
import tls from 'node:tls';
import { createSystemClock } from '../../base/clock/system.ts';
import type { HttpHandler } from '../../base/http/message.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createCertificateAuthority, issueCertificate } from '../../base/pki/certificates.ts';
import { generateKeyPair, privateKeyPem } from '../../base/pki/keys.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import {
  type Listener,
  type ListenerLimits,
  createListener,
} from '../../apiserver/http/listener/listener.ts';

const clock = createSystemClock();
const validity = { notBeforeMs: clock.now() - 60_000, notAfterMs: clock.now() + 3_600_000 };
const keys = generateKeyPair('ec-p256');
const random = createSeededRandom(1);
const subject = { commonName: 'server', organizations: [] };
const cert = issueCertificate(
  { subject, publicKey: keys.publicKey, usages: ['digital signature', 'server auth'], ...validity },
  createCertificateAuthority(subject, generateKeyPair('ec-p256'), validity, random),
  random,
);

/** Starts the real listener for a handler on a loopback port. */
export async function listenTo(
  handler: HttpHandler,
  limits: Partial<ListenerLimits> = {},
): Promise<Listener> {
  const listener = createListener({
    handler,
    host: '127.0.0.1',
    port: 0,
    tls: { key: privateKeyPem(keys.privateKey), cert },
    clock,
    log: silentLogger,
    graceMs: 100,
    limits,
  });
  await listener.start();
  return listener;
}

/** Opens a raw TLS connection, over which a test can send bytes that no client sends. */
export function connectTo(listener: Listener, protocol = 'http/1.1'): Promise<tls.TLSSocket> {
  return new Promise((resolve, reject) => {
    const { port } = listener.address();
    const socket = tls.connect({
      host: '127.0.0.1',
      port,
      ALPNProtocols: [protocol],
      rejectUnauthorized: false,
    });
    socket.on('error', reject);
    socket.once('secureConnect', () => {
      socket.off('error', reject);
      // Errors are expected: the server breaks the connections of attackers.
      socket.on('error', () => {});
      resolve(socket);
    });
  });
}

/** Resolves with all data received until the connection ends. */
export function everythingFrom(socket: tls.TLSSocket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    socket.on('close', () => resolve(text));
  });
}

/** Sends raw bytes. Resolves with the response up to the end of the connection. */
export async function rawAnswer(listener: Listener, bytes: string): Promise<string> {
  const socket = await connectTo(listener);
  const answer = everythingFrom(socket);
  socket.write(Buffer.from(bytes, 'latin1'));
  return answer;
}

/** Returns the status codes of the HTTP/1.1 responses in a string. */
export const statusesOf = (text: string): readonly number[] =>
  [...text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status));

/** Opens an HTTP/2 session. */
export async function sessionWith(
  listener: Listener,
  options: http2.SecureClientSessionOptions = {},
): Promise<http2.ClientHttp2Session> {
  const session = http2.connect(`https://127.0.0.1:${listener.address().port}`, {
    rejectUnauthorized: false,
    ...options,
  });
  session.on('error', () => {});
  await new Promise((resolve, reject) => session.once('connect', resolve).once('close', reject));
  return session;
}

/** Response over HTTP/2. */
export interface Http2Answer {
  /** Status code; 0 if the stream was rejected. */
  readonly status: number;
  readonly text: string;
}

/** Sends a request over an HTTP/2 session. */
export function overHttp2(
  session: http2.ClientHttp2Session,
  headers: http2.OutgoingHttpHeaders,
  body?: string | Buffer,
): Promise<Http2Answer> {
  return new Promise((resolve) => {
    const stream = session.request(headers, { endStream: body === undefined });
    let status = 0;
    let text = '';
    stream.on('response', (head) => (status = Number(head[':status'])));
    stream.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    stream.on('error', () => {});
    stream.on('close', () => resolve({ status, text }));
    if (body !== undefined) stream.end(body);
  });
}
