import type { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { HttpHeaders, HttpPeer, HttpResponse } from '../../../base/http/index.ts';

/** Request of HTTP/1.1 or HTTP/2. */
export type ServerRequest = Http2ServerRequest | IncomingMessage;

/** Target and headers of a request. */
export interface RequestHead {
  readonly url: string;
  readonly headers: HttpHeaders;
}

/** Returns the head of a request. An absolute target of HTTP/1.1 is reduced to path and query. */
export function headOf(request: ServerRequest): RequestHead {
  const { url = '/' } = request;
  const target = url.startsWith('/') || request.httpVersionMajor > 1 ? null : ABSOLUTE.exec(url);
  return {
    url: target ? originForm(target) : url,
    headers: headersOf(request.rawHeaders, target?.[1]),
  };
}

/**
 * Constructor of records without a prototype, so that every header name is an ordinary key.
 * `Object.create(null)` would create a hash table. Records of this constructor share a hidden class if they
 * have the same headers, as the requests of one client do.
 */
const HeaderTable = function () {} as unknown as new () => Record<string, string[]>;
HeaderTable.prototype = Object.create(null);

/**
 * Absolute request target of HTTP/1.1, sent by clients that treat the server as a proxy: authority, then path and
 * query.
 */
const ABSOLUTE = /^https?:\/\/([^/?#]+)([^#]*)/i;

const originForm = ([, , rest = '']: RegExpExecArray): string => (rest.startsWith('/') ? rest : `/${rest}`);

/**
 * Collects headers line by line. Node joins repeated headers with commas, so that a comma inside a value
 * could forge another value, such as a group to impersonate. `:authority` is the host of HTTP/2. The
 * authority of an absolute target replaces the `Host` header
 * (https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2).
 */
function headersOf(raw: readonly string[], authority: string | undefined): HttpHeaders {
  const headers = new HeaderTable();
  for (let i = 0; i < raw.length; i += 2) {
    const name = (raw[i] ?? '').toLowerCase();
    const value = raw[i + 1] ?? '';
    if (name.startsWith(':')) {
      if (name === ':authority') headers['host'] = [value];
      continue;
    }
    const known = headers[name];
    if (known === undefined) headers[name] = [value];
    else known.push(value);
  }
  if (authority !== undefined) headers['host'] = [authority];
  return headers;
}

/**
 * Returns the rejection of an HTTP/1.1 request that another server could interpret differently: a request
 * with several hosts (https://www.rfc-editor.org/rfc/rfc9112#section-3.2) or with an unsupported transfer
 * coding (section 6.1). Returns undefined for other requests.
 */
export function rejectionOf(headers: HttpHeaders): HttpResponse | undefined {
  const { host, 'transfer-encoding': codings } = headers;
  if (host !== undefined && host.length > 1) return plain(400, '400 Bad Request: too many Host headers');
  if (codings !== undefined && codings.join().toLowerCase() !== 'chunked')
    return plain(501, 'Unsupported transfer encoding');
  return undefined;
}

const plain = (status: number, text: string): HttpResponse => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', connection: 'close' },
  body: Buffer.from(text),
});

const peers = new WeakMap<object, HttpPeer>();

/**
 * Returns the peer of a connection. The result is cached, as parsing a certificate costs more than a small
 * request.
 */
export function peerOf(request: ServerRequest): HttpPeer {
  const session = 'stream' in request ? request.stream.session : undefined;
  const connection: object = session ?? request.socket;
  const known = peers.get(connection);
  if (known !== undefined) return known;
  const socket = (session?.socket ?? request.socket) as TLSSocket;
  const peer = describe(socket);
  peers.set(connection, peer);
  return peer;
}

function describe(socket: TLSSocket): HttpPeer {
  const address = socket.remoteAddress ?? '';
  const certificate = socket.getPeerX509Certificate?.();
  if (certificate === undefined) return { address };
  const intermediates: X509Certificate[] = [];
  let issuer = certificate.issuerCertificate;
  while (issuer !== undefined && intermediates.length < 10) {
    intermediates.push(issuer);
    issuer = issuer.issuerCertificate;
  }
  return { address, certificate, intermediates };
}
