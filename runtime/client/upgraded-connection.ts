import type { ClientRequest, IncomingMessage } from 'node:http';
import type { RequestOptions } from 'node:https';
import { type LookupFunction, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { HttpHeaders, OutboundPeer, OutboundRequest, OutboundResponse } from '../../base/http/index.ts';

/** Upgraded connections. They belong to no pool, so their owner must close them. */
export type OpenConnections = Set<Duplex>;

/** Options of `requestUpgrade`. */
export interface UpgradeOptions {
  readonly open: OpenConnections;
  /** Resolves the host of the peer. Default `dns.lookup`. */
  readonly lookup?: LookupFunction;
}

/** Interval of TCP keep-alive probes on an idle connection, in milliseconds. */
const KEEP_ALIVE_MS = 30_000;

/**
 * Requests another protocol on a new connection (`OutboundRequest.upgrade`). Returns a normal response if the
 * peer rejects the upgrade. Rejects with the error of the socket.
 */
export async function requestUpgrade(
  peer: OutboundPeer,
  request: OutboundRequest,
  { open, lookup }: UpgradeOptions,
): Promise<OutboundResponse> {
  const { protocol } = new URL(peer.origin);
  const client = await (protocol === 'https:' ? import('node:https') : import('node:http'));
  return new Promise((resolve, reject) => {
    const outgoing = client.request({ ...requestOptions(peer, request), ...(lookup && { lookup }) });
    if (request.headersTimeoutMs > 0) giveUpAfter(outgoing, request.headersTimeoutMs);
    outgoing.on('upgrade', (response, connection, head) => {
      keep(connection, request.signal, open);
      void send(request.body, connection);
      resolve({ ...headOf(response), body: received(connection, head) });
    });
    outgoing.on('response', (response) => resolve({ ...headOf(response), body: response }));
    outgoing.on('error', reject);
    outgoing.end();
  });
}

function requestOptions(peer: OutboundPeer, request: OutboundRequest): RequestOptions {
  const { hostname, port } = new URL(peer.origin);
  const { ca, serverName, certificate, key } = peer;
  return {
    hostname: hostname.replace(/^\[|\]$/g, ''),
    ...(port === '' ? {} : { port }),
    method: request.method,
    path: request.path,
    headers: {
      ...(request.headers as Record<string, string | string[]>),
      connection: 'Upgrade',
      upgrade: request.upgrade,
    },
    agent: false,
    ...(request.signal && { signal: request.signal }),
    ca,
    cert: certificate,
    key,
    rejectUnauthorized: peer.insecureSkipVerify !== true,
    ...(serverName === undefined ? {} : { servername: serverName }),
  };
}

function giveUpAfter(outgoing: ClientRequest, milliseconds: number): void {
  outgoing.setTimeout(milliseconds, () =>
    outgoing.destroy(Object.assign(new Error('no response in time'), { code: 'ETIMEDOUT' })),
  );
}

function keep(connection: Duplex, signal: AbortSignal | undefined, open: OpenConnections): void {
  open.add(connection);
  if (connection instanceof Socket) {
    connection.setTimeout(0);
    connection.setKeepAlive(true, KEEP_ALIVE_MS);
  }
  const destroy = (): void => void connection.destroy();
  if (signal?.aborted) destroy();
  else signal?.addEventListener('abort', destroy, { once: true });
  // The reader of the stream receives the error when the stream ends.
  connection.on('error', () => {});
  connection.once('close', () => {
    open.delete(connection);
    signal?.removeEventListener('abort', destroy);
  });
}

/** Writes a body to the connection, no faster than the peer reads. */
async function send(body: OutboundRequest['body'], connection: Duplex): Promise<void> {
  if (body === undefined) return;
  try {
    const chunks = typeof body === 'string' || body instanceof Uint8Array ? [body] : body;
    for await (const chunk of chunks) {
      if (connection.destroyed) return;
      if (!connection.write(chunk)) await drained(connection);
    }
    connection.end();
  } catch {
    // The source of the body failed, so the peer must not treat the body as complete.
    connection.destroy();
  }
}

const drained = (connection: Duplex): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      connection.off('drain', done).off('close', done);
      resolve();
    };
    connection.on('drain', done).on('close', done);
  });

/** Returns the received bytes as a stream. Leaving the loop early closes the connection. */
async function* received(connection: Duplex, head: Uint8Array): AsyncGenerator<Uint8Array> {
  try {
    if (head.length > 0) yield head;
    yield* connection as AsyncIterable<Uint8Array>;
  } finally {
    connection.destroy();
  }
}

function headOf({ statusCode = 0, headersDistinct }: IncomingMessage): {
  status: number;
  headers: HttpHeaders;
} {
  const headers = Object.entries(headersDistinct).flatMap(([name, values]) =>
    values ? [[name, values]] : [],
  );
  return { status: statusCode, headers: Object.fromEntries(headers) as HttpHeaders };
}
