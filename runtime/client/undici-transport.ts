import type { Dispatcher } from 'undici';
import { Cohort, onAbort, orAborted, signalOf } from '../../base/async/index.ts';
import { asError } from '../../base/errors/index.ts';
import type { ClientConfig } from './client-config.ts';
import { responseTooLarge } from './response.ts';
import { ClientError } from './client-error.ts';
import { impersonationHeaders } from './impersonation.ts';
import { type Credentials, sendWithCredentials } from './credentials.ts';
import { explained, parseServer } from './server-address.ts';
import { type Transport, type TransportRequest, type TransportResponse, WholeBody } from './transport.ts';

/** Options of `createUndiciTransport`. */
export interface UndiciTransportOptions extends Omit<ClientConfig, 'namespace'> {
  /**
   * Maximum number of connections for requests without streams; further requests wait. Each watch has its own
   * connection. Default 64.
   */
  readonly connections?: number;
}

/**
 * Time in milliseconds until an idle connection is closed. Less than 90 s, after which Go servers close an
 * idle connection, and more than one minute, the minimum interval of a CronJob.
 */
const KEEP_ALIVE_MS = 75_000;

type Undici = typeof import('undici');

/** Imports undici at the first request, because a program with the server in its process does not need it. */
const loadUndici = (): Promise<Undici> => import('undici');

/** Connection pools for one client certificate. */
interface Pools {
  readonly identity: string;
  readonly requests: Dispatcher;
  readonly streams: Dispatcher;
}

/**
 * Creates a transport over HTTP/1.1 with or without TLS and with pooled connections. HTTP/2 would use a
 * single connection, on which a large list delays every watch. After a change of the client certificate, new
 * requests use new connections, and the old connections close after their last response.
 */
export function createUndiciTransport(options: UndiciTransportOptions): Transport {
  const { credentials, connections = 64 } = options;
  const impersonation = options.impersonate === undefined ? {} : impersonationHeaders(options.impersonate);
  const base = parseServer(options.server);
  let pools: Pools | undefined;
  // Cached, because a repeated dynamic import takes as long as writing a small request.
  let undici: Undici | undefined;
  let closed = false;
  const answers = new Cohort<() => void>((resolve) => resolve());

  const poolsFor = (loaded: Undici, used: Credentials): Pools => {
    const identity = `${used.certificate ?? ''}\n${used.key ?? ''}`;
    if (pools?.identity === identity) return pools;
    if (pools !== undefined) void retire(pools);
    pools = {
      identity,
      requests: createDispatcher(loaded, options, used, connections),
      streams: createDispatcher(loaded, options, used, null),
    };
    return pools;
  };
  const dispatch = async (request: TransportRequest, used: Credentials): Promise<TransportResponse> => {
    const { requests, streams } = poolsFor((undici ??= await loadUndici()), used);
    const { authorization } = used;
    const outgoing = {
      origin: base.origin,
      path: base.path + request.path,
      method: request.method as Dispatcher.HttpMethod,
      headers: {
        ...request.headers,
        ...impersonation,
        ...(authorization === undefined ? {} : { authorization }),
      },
      body: request.body ?? null,
      headersTimeout: request.headersTimeoutMs,
      // No limit, because a watch may be idle for any time. The client limits the duration of other bodies.
      bodyTimeout: 0,
    };
    try {
      if (request.streaming !== true) return await gather(requests, outgoing, request, answers);
      const streamed = streams.request({
        ...outgoing,
        signal: request.signal === undefined ? null : signalOf(request.signal),
      });
      // undici handles the signal only once a connection exists, and a silent peer delays the connection.
      const response = await (request.signal === undefined ? streamed : orAborted(streamed, request.signal));
      return {
        status: response.statusCode,
        headers: definedHeaders(response.headers),
        body: readBody(response.body, request, base.origin),
      };
    } catch (thrown) {
      throw explained(thrown, request, base.origin);
    }
  };
  const send = sendWithCredentials(credentials, dispatch);
  return {
    async send(request) {
      if (closed) throw new ClientError('ERR_CLOSED', 'the transport was closed');
      return send(request);
    },
    async close() {
      closed = true;
      if (pools !== undefined) await Promise.all([pools.requests.destroy(), pools.streams.destroy()]);
    },
  };
}

function createDispatcher(
  { Agent, ProxyAgent }: Undici,
  options: UndiciTransportOptions,
  used: Credentials,
  connections: number | null,
): Dispatcher {
  const { ca, serverName, insecure } = options.tls;
  const tls = {
    ...(ca === undefined ? {} : { ca }),
    ...(used.certificate === undefined ? {} : { cert: used.certificate }),
    ...(used.key === undefined ? {} : { key: used.key }),
    ...(serverName === undefined ? {} : { servername: serverName }),
    rejectUnauthorized: insecure !== true,
  };
  const pool = {
    connections,
    pipelining: 1,
    allowH2: false,
    bodyTimeout: 0,
    maxHeaderSize: 64 * 1024,
    keepAliveTimeout: KEEP_ALIVE_MS,
  };
  return options.proxyUrl === undefined
    ? new Agent({ ...pool, connect: tls })
    : new ProxyAgent({ ...pool, uri: options.proxyUrl, requestTls: tls });
}

/** Closes pools after their open requests. An error of the close has no effect on new requests. */
const retire = async (pools: Pools): Promise<void> => {
  await Promise.allSettled([pools.requests.close(), pools.streams.close()]);
};

/** Reads the whole response through undici's callbacks. A stream would cost a quarter of the request. */
function gather(
  dispatcher: Dispatcher,
  outgoing: Dispatcher.DispatchOptions,
  { signal, limitBytes = Infinity }: Pick<TransportRequest, 'signal' | 'limitBytes'>,
  answers: Cohort<() => void>,
): Promise<TransportResponse> {
  return new Promise((resolve, reject) => {
    let active: Dispatcher.DispatchController | undefined;
    let head: Pick<TransportResponse, 'status' | 'headers'> = { status: 0, headers: {} };
    const chunks: Buffer[] = [];
    let bytes = 0;
    const release =
      signal &&
      onAbort(signal, () => {
        active?.abort(asError(signal.reason));
        reject(signal.reason);
      });
    dispatcher.dispatch(outgoing, {
      onRequestStart(controller) {
        active = controller;
        if (signal?.aborted === true) controller.abort(asError(signal.reason));
      },
      onResponseStart(_, status, headers) {
        // A server may send interim responses (1xx) first.
        if (status >= 200) head = { status, headers: definedHeaders(headers) };
      },
      onResponseData(controller, chunk) {
        bytes += chunk.length;
        if (bytes > limitBytes) controller.abort(responseTooLarge(limitBytes));
        else chunks.push(chunk);
      },
      onResponseEnd() {
        release?.();
        const only = chunks.length === 1 ? chunks[0] : undefined;
        const answer = { body: new WholeBody(only ?? Buffer.concat(chunks)), ...head };
        answers.join(() => resolve(answer));
      },
      onResponseError(_, error) {
        release?.();
        reject(error);
      },
    });
  });
}

function definedHeaders(headers: Dispatcher.ResponseData['headers']): TransportResponse['headers'] {
  const defined: Record<string, string | readonly string[]> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) defined[name] = value;
  }
  return defined;
}

async function* readBody(
  body: AsyncIterable<Uint8Array>,
  request: TransportRequest,
  origin: string,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (thrown) {
    throw explained(thrown, request, origin);
  }
}
