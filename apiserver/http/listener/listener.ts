import { BRAND, CodedError, asError, messageOf } from '../../../base/errors/index.ts';
import type { IncomingMessage } from 'node:http';
import http2 from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { Cohort } from '../../../base/async/index.ts';
import type { Clock } from '../../../base/clock/index.ts';
import { IntrusiveList } from '../../../base/collections/index.ts';
import type { HttpHandler } from '../../../base/http/index.ts';
import type { Lifetime } from '../../../base/lifetime/index.ts';
import type { Logger } from '../../../base/log/index.ts';
import { DirectResponse } from './direct-response.ts';
import { serve, serveUpgrade } from './exchange.ts';
import type { Exchange, ExchangeHost } from './exchange-host.ts';
import type { TlsProtocol } from './tls-protocol.ts';

/** Options of a listener. */
export interface ListenerOptions {
  readonly handler: HttpHandler;
  readonly host: string;
  /** Port to listen on; 0 for any free port. */
  readonly port: number;
  readonly tls: ListenerTls;
  /** Accepted TLS versions and ciphers. Default: TLS 1.2 and later with Node's ciphers. */
  readonly protocol?: TlsProtocol;
  /** True to offer HTTP/2. Default: true. */
  readonly http2?: boolean;
  readonly clock: Clock;
  readonly log: Logger;
  /** Milliseconds that `stop` waits for requests in flight. Default: 3000. */
  readonly graceMs?: number;
  /** Called for each connection whose TLS handshake fails. */
  readonly onHandshakeError?: () => void;
  /** Timeouts for slow peers. Default: `DEFAULT_LIMITS`. */
  readonly limits?: Partial<ListenerLimits>;
}

/** Timeouts of a listener in milliseconds. */
export interface ListenerLimits {
  /** Timeout of the TLS handshake. */
  readonly handshakeMs: number;
  /** Timeout for the head of an HTTP/1.1 request. */
  readonly headersMs: number;
  /** Timeout for a whole HTTP/1.1 request, including its body. Not applied to HTTP/2 requests. */
  readonly requestMs: number;
  /** Time after which a connection without traffic and without a pending response is closed. */
  readonly idleMs: number;
  /** Time after which a peer that does not read the end of a stream is disconnected. */
  readonly unreadMs: number;
}

/** Key and certificates of a listener. */
export interface ListenerTls {
  /** Private key in PEM. */
  readonly key: string | Buffer;
  /** The server's certificate in PEM, followed by its intermediate issuers. */
  readonly cert: string | Buffer;
  /**
   * Certificate authorities in PEM that the server names to clients when it requests a certificate. The
   * listener does not verify client certificates; authentication does.
   */
  readonly clientCa?: string | Buffer;
}

/** Server socket with its connections. */
export interface Listener extends Lifetime {
  /**
   * Replaces key and certificates for later connections. Throws `ListenerError` and changes nothing if the
   * new ones are unusable.
   */
  renew(tls: ListenerTls): void;
  /** Returns the bound address. Throws before `start`. */
  address(): { readonly host: string; readonly port: number };
}

/** Codes of `ListenerError`. */
export type ListenerErrorCode =
  | 'ERR_LISTEN_PORT_IN_USE'
  | 'ERR_LISTEN_ADDRESS'
  | 'ERR_LISTEN_FORBIDDEN'
  | 'ERR_LISTEN_TLS'
  | 'ERR_LISTEN_FAILED'
  | 'ERR_LISTEN_NOT_STARTED';

/** Thrown if the listener cannot use its port, address or certificate, or lacks a permission. */
export class ListenerError extends CodedError<ListenerErrorCode> {
  static override readonly [BRAND]: string = 'ListenerError';
}

const DEFAULT_GRACE_MS = 3_000;
/**
 * Default idle timeout in milliseconds. It exceeds the 90 s of Go's clients, so that the client closes an
 * idle connection. A close by the server could race with a request.
 */
const IDLE_MS = 120_000;
const DEFAULT_LIMITS: ListenerLimits = {
  handshakeMs: 30_000,
  headersMs: 60_000,
  requestMs: 300_000,
  idleMs: IDLE_MS,
  unreadMs: 30_000,
};
/** Maximum interval in milliseconds at which Node checks HTTP/1.1 connections for `headersMs` and `requestMs`. */
const CHECK_MS = 30_000;
const MAX_HEADER_BYTES = 64 * 1024;
const MAX_STREAMS = 250;
/**
 * Memory limit of an HTTP/2 session in megabytes. With Node's default of 10, one large unread response fails all later
 * streams of its session.
 */
const SESSION_MEMORY_MB = 1_000;

/** Creates a listener for HTTPS with HTTP/2 and HTTP/1.1 on one port. */
export function createListener(options: ListenerOptions): Listener {
  return new TlsListener(options);
}

class TlsListener implements Listener {
  readonly name = 'listener';
  readonly #options: ListenerOptions;
  readonly #limits: ListenerLimits;
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<http2.ServerHttp2Session>();
  readonly #exchanges = new IntrusiveList<Exchange>();
  readonly #host: ExchangeHost;
  #tls: ListenerTls;
  #server: http2.Http2SecureServer | undefined;
  #stopping = false;
  #onQuiescent: (() => void) | undefined;

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#tls = options.tls;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    const stopping = (): boolean => this.#stopping;
    this.#host = {
      handler: options.handler,
      clock: options.clock,
      unreadMs: this.#limits.unreadMs,
      get stopping() {
        return stopping();
      },
      cohort: new Cohort((exchange) => exchange.run()),
      opened: (exchange) => this.#exchanges.add(exchange),
      done: (exchange) => {
        this.#exchanges.delete(exchange);
        this.#checkQuiescent();
      },
      defect: (thrown) => options.log.error({ err: asError(thrown) }, 'request failed because of a defect'),
    };
  }

  address(): { host: string; port: number } {
    const bound = this.#server?.address() as AddressInfo | string | null | undefined;
    if (bound === null || bound === undefined || typeof bound === 'string')
      throw new ListenerError('ERR_LISTEN_NOT_STARTED', 'the listener has no address: call start first');
    return { host: bound.address, port: bound.port };
  }

  renew(tls: ListenerTls): void {
    usable(() => this.#server?.setSecureContext(secureContext(tls, this.#options.protocol)));
    this.#tls = tls;
  }

  async start(): Promise<void> {
    const server = this.#create();
    this.#server = server;
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    server.on('session', (session) => {
      this.#sessions.add(session);
      session.once('close', () => {
        this.#sessions.delete(session);
        this.#checkQuiescent();
      });
      session.on('error', (error) => this.#options.log.debug({ err: error }, 'session failed'));
    });
    server.on('request', (request, response) => serve(request, response, this.#host));
    server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) =>
      serveUpgrade(request, socket, head, this.#host),
    );
    server.on('timeout', (connection: Socket | http2.ServerHttp2Session) => this.#closeIdle(connection));
    server.on('tlsClientError', (error: NodeJS.ErrnoException, { remotePort, remoteAddress }) => {
      this.#options.onHandshakeError?.();
      this.#options.log.debug({ err: error }, 'handshake failed');
      if (error.code !== PLAIN_HTTP) return;
      for (const socket of this.#sockets)
        if (socket.remotePort === remotePort && socket.remoteAddress === remoteAddress) socket.end(WANTS_TLS);
    });
    server.on('sessionError', (error) => this.#options.log.debug({ err: error }, 'session failed'));
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => rejectUnparsed(error, socket));
    await this.#listen(server);
  }

  /**
   * Waits for requests in flight, ends watches and sends GOAWAY. Connections that are open after the grace
   * period are destroyed.
   */
  async stop(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#stopping = true;
    const { clock, graceMs = DEFAULT_GRACE_MS } = this.#options;
    server.close();
    for (const exchange of this.#exchanges) exchange.endStream();
    for (const session of this.#sessions) session.close();
    await new Promise<void>((resolve) => {
      const timer = clock.setTimeout(resolve, graceMs);
      this.#onQuiescent = () => {
        clock.clearTimeout(timer);
        resolve();
      };
      this.#checkQuiescent();
    });
    for (const session of this.#sessions) session.destroy();
    for (const socket of this.#sockets) socket.destroy();
    this.#server = undefined;
  }

  /** Closes an idle connection unless an exchange uses it: a watch may send nothing for longer. */
  #closeIdle(connection: Socket | http2.ServerHttp2Session): void {
    for (const exchange of this.#exchanges) if (exchange.isOver(connection)) return;
    connection.destroy();
  }

  /**
   * Reports that the listener is quiescent once all exchanges and sessions have ended. A session closes after
   * its last response is sent, which may be later than the end of the exchange.
   */
  #checkQuiescent(): void {
    if (this.#stopping && this.#exchanges.size === 0 && this.#sessions.size === 0) this.#onQuiescent?.();
  }

  #create(): http2.Http2SecureServer {
    const { http2: speaksHttp2 = true } = this.#options;
    return usable(() => {
      const server = http2.createSecureServer({
        allowHTTP1: true,
        Http1ServerResponse: DirectResponse,
        ALPNProtocols: speaksHttp2 ? ['h2', 'http/1.1'] : ['http/1.1'],
        ...secureContext(this.#tls, this.#options.protocol),
        requestCert: true,
        rejectUnauthorized: false,
        handshakeTimeout: this.#limits.handshakeMs,
        maxSessionMemory: SESSION_MEMORY_MB,
        maxHeaderListPairs: 1_000,
        settings: { maxConcurrentStreams: MAX_STREAMS, maxHeaderListSize: MAX_HEADER_BYTES },
      });
      // The HTTP/2 server does not declare these options, but its HTTP/1.1 fallback reads them.
      const { headersMs, requestMs, idleMs } = this.#limits;
      Object.assign(server, {
        // Node would restart this timer for every response. One timer for each connection enforces `idleMs`.
        keepAliveTimeout: 0,
        headersTimeout: headersMs,
        requestTimeout: requestMs,
        maxHeaderSize: MAX_HEADER_BYTES,
        insecureHTTPParser: false,
        requireHostHeader: true,
        connectionsCheckingInterval: Math.min(CHECK_MS, headersMs, requestMs),
      });
      server.setTimeout(idleMs);
      return server;
    });
  }

  #listen(server: http2.Http2SecureServer): Promise<void> {
    const { host, port, log } = this.#options;
    return new Promise((resolve, reject) => {
      const onError = (error: NodeJS.ErrnoException): void => reject(listenError(error, host, port));
      server.once('error', onError);
      server.listen({ host, port }, () => {
        server.off('error', onError);
        server.on('error', (error) => log.error({ err: error }, 'listener failed'));
        resolve();
      });
    });
  }
}

const secureContext = (
  { key, cert, clientCa }: ListenerTls,
  protocol: TlsProtocol = { minVersion: 'TLSv1.2' },
) => ({ key, cert, ...(clientCa === undefined ? {} : { ca: clientCa }), ...protocol });

function usable<T>(use: () => T): T {
  try {
    return use();
  } catch (cause) {
    throw new ListenerError(
      'ERR_LISTEN_TLS',
      `the server's key and certificate cannot be used: ${messageOf(cause)}`,
      { cause },
    );
  }
}

/** OpenSSL's code for a plain HTTP request: GET, HEAD, POST or PUT. */
const PLAIN_HTTP = 'ERR_SSL_HTTP_REQUEST';
/** Unencrypted response to a plain HTTP request, with the bytes that Go's server sends. */
const WANTS_TLS = 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n';

const REJECTIONS: ReadonlyMap<string, string> = new Map([
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
]);

/** Error codes after which no response can be sent: the connection is broken or was never secured. */
const UNREACHABLE: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'ERR_TLS_HANDSHAKE_TIMEOUT']);

/** Sends a minimal response for a request that the HTTP/1.1 parser rejects, if the connection is still writable. */
function rejectUnparsed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || UNREACHABLE.has(error.code)) {
    socket.destroy();
    return;
  }
  const line = REJECTIONS.get(error.code ?? '') ?? '400 Bad Request';
  socket.end(
    `HTTP/1.1 ${line}\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${line}`,
  );
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): ListenerError {
  const place = `${host}:${port}`;
  switch (error.code) {
    case 'EADDRINUSE':
      return new ListenerError(
        'ERR_LISTEN_PORT_IN_USE',
        `cannot listen on ${place}: another program uses the port`,
        { cause: error },
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return new ListenerError(
        'ERR_LISTEN_ADDRESS',
        `cannot listen on ${place}: ${host} is not an address of this machine`,
        { cause: error },
      );
    case 'EACCES':
      return new ListenerError(
        'ERR_LISTEN_FORBIDDEN',
        `cannot listen on ${place}: the system does not allow this user that port`,
        { cause: error },
      );
    default:
      return new ListenerError('ERR_LISTEN_FAILED', `cannot listen on ${place}: ${error.message}`, {
        cause: error,
      });
  }
}
