import { BRAND, CodedError, asError, messageOf } from '../../base/errors/index.ts';
import type { IncomingMessage } from 'node:http';
import http2 from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { Cohort } from '../../base/async/index.ts';
import type { Clock } from '../../base/clock/index.ts';
import { IntrusiveList } from '../../base/collections/index.ts';
import type { HttpHandler } from '../../base/http/index.ts';
import type { Lifetime } from '../../base/lifetime/index.ts';
import type { Logger } from '../../base/log/index.ts';
import { Http1Answer } from './listener-answer.ts';
import { type Exchange, type ExchangeHost, serve, serveUpgrade } from './listener-exchange.ts';
import type { TlsProtocol } from './tls-protocol.ts';

/** Address, certificate and limits of a listener. */
export interface ListenerOptions {
  readonly handler: HttpHandler;
  readonly host: string;
  /** 0: one that is free. */
  readonly port: number;
  readonly tls: ListenerTls;
  /** Default: TLS 1.2 and later, with what Node takes for good. */
  readonly protocol?: TlsProtocol;
  /** Speak HTTP/2 to clients that can; default true. */
  readonly http2?: boolean;
  readonly clock: Clock;
  readonly log: Logger;
  /** Milliseconds `stop` gives requests in flight; default 3 000. */
  readonly graceMs?: number;
  /** Told of each connection that ends before it is secure. */
  readonly onHandshakeError?: () => void;
  /** How long slow peers are waited for; default `DEFAULT_LIMITS`. */
  readonly limits?: Partial<ListenerLimits>;
}

/** Milliseconds. */
export interface ListenerLimits {
  /** For a connection to become secure. */
  readonly handshakeMs: number;
  /** For the head of an HTTP/1.1 request to be there. */
  readonly headersMs: number;
  /** For the whole of an HTTP/1.1 request, its body too. HTTP/2 bodies end with the answer. */
  readonly requestMs: number;
  /** A connection that says nothing for so long, and waits for no answer, is closed. */
  readonly idleMs: number;
  /** The end of a stream that nobody reads is waited for this long, then the peer is cut off. */
  readonly unreadMs: number;
}

/** Certificate that a listener presents, and the authorities it names to clients. */
export interface ListenerTls {
  /** PEM. */
  readonly key: string | Buffer;
  /** PEM, the server's certificate first and those that issued it after it. */
  readonly cert: string | Buffer;
  /** PEM; named to clients as the issuers whose certificates are wanted. Verification is authentication's. */
  readonly clientCa?: string | Buffer;
}

/** HTTPS listener that serves HTTP/1.1 and HTTP/2. */
export interface Listener extends Lifetime {
  /** What later connections are served with. Throws `ListenerError` for what cannot be used, and changes nothing then. */
  renew(tls: ListenerTls): void;
  /** Where it listens. Throws before `start`. */
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

/** Error of a listener that cannot start or cannot use a certificate. */
export class ListenerError extends CodedError<ListenerErrorCode> {
  static override readonly [BRAND]: string = 'ListenerError';
}

const DEFAULT_GRACE_MS = 3_000;
/** Above the 90 s after which Go's clients give up an idle connection, so that they close it and not we under them. */
const IDLE_MS = 120_000;
const DEFAULT_LIMITS: ListenerLimits = {
  handshakeMs: 30_000,
  headersMs: 60_000,
  requestMs: 300_000,
  idleMs: IDLE_MS,
  unreadMs: 30_000,
};
/** How often HTTP/1.1 connections are looked at for the two limits, at most. */
const CHECK_MS = 30_000;
const MAX_HEADER_BYTES = 64 * 1024;
const MAX_STREAMS = 250;
/** Megabytes. One large answer that nobody reads must not fail every later stream of its session. */
const SESSION_MEMORY_MB = 1_000;

/** The server's sockets: HTTPS with HTTP/2 and HTTP/1.1 on one port. */
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
  #atRest: (() => void) | undefined;

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
        this.#checkRest();
      },
      defect: (thrown) => options.log.error({ err: asError(thrown) }, 'answer failed by a defect'),
    };
  }

  address(): { host: string; port: number } {
    const bound = this.#server?.address() as AddressInfo | string | null | undefined;
    if (bound === null || bound === undefined || typeof bound === 'string')
      throw new ListenerError('ERR_LISTEN_NOT_STARTED', 'the listener has no address before it has started');
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
        this.#checkRest();
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
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => refuse(error, socket));
    await this.#listen(server);
  }

  /** Lets requests in flight finish, ends watches, says good-bye (GOAWAY); what is left after the grace is cut off. */
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
      this.#atRest = () => {
        clock.clearTimeout(timer);
        resolve();
      };
      this.#checkRest();
    });
    for (const session of this.#sessions) session.destroy();
    for (const socket of this.#sockets) socket.destroy();
    this.#server = undefined;
  }

  /** A watch may be silent for longer than this. */
  #closeIdle(connection: Socket | http2.ServerHttp2Session): void {
    for (const exchange of this.#exchanges) if (exchange.isOver(connection)) return;
    connection.destroy();
  }

  /** A session closes itself once its last answer is on the way; before that its exchange is done already. */
  #checkRest(): void {
    if (this.#stopping && this.#exchanges.size === 0 && this.#sessions.size === 0) this.#atRest?.();
  }

  #create(): http2.Http2SecureServer {
    const { http2: speaksHttp2 = true } = this.#options;
    return usable(() => {
      const server = http2.createSecureServer({
        allowHTTP1: true,
        Http1ServerResponse: Http1Answer,
        ALPNProtocols: speaksHttp2 ? ['h2', 'http/1.1'] : ['http/1.1'],
        ...secureContext(this.#tls, this.#options.protocol),
        requestCert: true,
        rejectUnauthorized: false,
        handshakeTimeout: this.#limits.handshakeMs,
        maxSessionMemory: SESSION_MEMORY_MB,
        maxHeaderListPairs: 1_000,
        settings: { maxConcurrentStreams: MAX_STREAMS, maxHeaderListSize: MAX_HEADER_BYTES },
      });
      // Typed for HTTP/2 alone and not taken as its options, read by the HTTP/1.1 fallback.
      const { headersMs, requestMs, idleMs } = this.#limits;
      Object.assign(server, {
        // Would set a timer anew with every answer; `idleMs` is kept by one for each connection.
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

/** What OpenSSL takes for a request: GET, HEAD, POST and PUT. */
const PLAIN_HTTP = 'ERR_SSL_HTTP_REQUEST';
/** As the Go server says it, without TLS. */
const WANTS_TLS = 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n';

const REFUSALS: ReadonlyMap<string, string> = new Map([
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
]);

/** Errors of a connection over which nothing can be said: it has broken, or never became secure. */
const UNHEARD: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'ERR_TLS_HANDSHAKE_TIMEOUT']);

/** What the HTTP/1.1 parser refuses gets a bare answer, if there is still someone to hear it. */
function refuse(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || UNHEARD.has(error.code)) {
    socket.destroy();
    return;
  }
  const line = REFUSALS.get(error.code ?? '') ?? '400 Bad Request';
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
        `cannot listen on ${place}: ${host} is no address of this machine`,
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
