import { type IncomingMessage, Agent as PlainAgent, request as requestPlainly } from 'node:http';
import { Agent, type RequestOptions, request as requestOverTls } from 'node:https';
import { onAbort } from '../../base/async/index.ts';
import type { ClientConfig } from './client-config.ts';
import { ClientError } from './client-error.ts';
import { type Credentials, sendWithCredentials } from './credentials.ts';
import { impersonationHeaders } from './impersonation.ts';
import { responseTooLarge } from './response.ts';
import { explained, parseServer } from './server-address.ts';
import { type Transport, type TransportRequest, type TransportResponse, WholeBody } from './transport.ts';

/** Options of `createNodeTransport`. */
export interface NodeTransportOptions extends Omit<ClientConfig, 'namespace' | 'proxyUrl'> {
  /**
   * Maximum number of connections for requests without streams; further requests wait. Each watch has its own
   * connection. Default 2, because a handshake costs more than a small request.
   */
  readonly connections?: number;
}

/** Agents for one client certificate. */
interface Agents {
  readonly identity: string;
  readonly requests: Agent | PlainAgent;
  readonly streams: Agent | PlainAgent;
}

/**
 * Creates a transport over the HTTP client of Node.js. It is for programs with few requests: undici takes
 * longer to load than such a program takes otherwise. It supports no proxy.
 */
export function createNodeTransport(options: NodeTransportOptions): Transport {
  const { credentials, connections = 2 } = options;
  const impersonation = options.impersonate === undefined ? {} : impersonationHeaders(options.impersonate);
  const base = parseServer(options.server);
  const url = new URL(base.origin);
  let agents: Agents | undefined;
  let closed = false;

  const agentsFor = (used: Credentials): Agents => {
    const identity = `${used.certificate ?? ''}\n${used.key ?? ''}`;
    if (agents?.identity === identity) return agents;
    const tls = tlsOf(options, used);
    const create = (maxSockets: number): Agent | PlainAgent =>
      url.protocol === 'https:'
        ? new Agent({ ...tls, keepAlive: true, maxSockets })
        : new PlainAgent({ keepAlive: true, maxSockets });
    agents = { identity, requests: create(connections), streams: create(Infinity) };
    return agents;
  };

  const dispatch = (request: TransportRequest, used: Credentials): Promise<TransportResponse> => {
    const { requests, streams } = agentsFor(used);
    const { authorization } = used;
    const outgoing: RequestOptions = {
      hostname: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port,
      path: base.path + request.path,
      method: request.method,
      agent: request.streaming === true ? streams : requests,
      maxHeaderSize: 64 * 1024,
      headers: {
        ...request.headers,
        ...impersonation,
        ...(authorization === undefined ? {} : { authorization }),
        // Node.js sends no length by itself for some methods, such as DELETE.
        ...(request.body === undefined ? {} : { 'content-length': Buffer.byteLength(request.body) }),
      },
    };
    return exchange(
      url.protocol === 'https:' ? requestOverTls : requestPlainly,
      outgoing,
      request,
      base.origin,
    );
  };
  const send = sendWithCredentials(credentials, dispatch);
  return {
    async send(request) {
      if (closed) throw new ClientError('ERR_CLOSED', 'the transport was closed');
      return send(request);
    },
    async close() {
      closed = true;
      agents?.requests.destroy();
      agents?.streams.destroy();
    },
  };
}

const tlsOf = ({ tls: { ca, serverName, insecure } }: NodeTransportOptions, used: Credentials) => ({
  ...(ca === undefined ? {} : { ca }),
  ...(used.certificate === undefined ? {} : { cert: used.certificate }),
  ...(used.key === undefined ? {} : { key: used.key }),
  ...(serverName === undefined ? {} : { servername: serverName }),
  rejectUnauthorized: insecure !== true,
});

function exchange(
  requester: typeof requestOverTls,
  outgoing: RequestOptions,
  request: TransportRequest,
  origin: string,
): Promise<TransportResponse> {
  const { signal, limitBytes = Infinity } = request;
  return new Promise((resolve, reject) => {
    const sent = requester(outgoing, (response) => {
      const { statusCode: status = 0 } = response;
      const body = readBody(response, request, origin);
      if (request.streaming === true) return resolve({ status, headers: headersOf(response), body });
      gather(body, limitBytes).then(
        (bytes) => {
          release?.();
          resolve({ status, headers: headersOf(response), body: new WholeBody(bytes) });
        },
        (thrown: unknown) => {
          release?.();
          response.destroy();
          reject(thrown as Error);
        },
      );
    });
    const release =
      signal &&
      onAbort(signal, () => {
        sent.destroy();
        reject(signal.reason as Error);
      });
    sent.on('error', (thrown) => {
      release?.();
      reject(explained(thrown, request, origin) as Error);
    });
    sent.end(request.body);
  });
}

const headersOf = ({ headers }: IncomingMessage): TransportResponse['headers'] =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );

async function gather(body: AsyncIterable<Uint8Array>, limitBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > limitBytes) throw responseTooLarge(limitBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function* readBody(
  response: IncomingMessage,
  request: TransportRequest,
  origin: string,
): AsyncGenerator<Uint8Array> {
  try {
    yield* response as AsyncIterable<Uint8Array>;
  } catch (thrown) {
    throw explained(thrown, request, origin);
  }
}
