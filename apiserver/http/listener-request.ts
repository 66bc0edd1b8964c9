import type { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { HttpHeaders, HttpPeer, HttpResponse } from '../../base/http/index.ts';

export type ServerRequest = Http2ServerRequest | IncomingMessage;

/** What a request says before its body, as the handler is shown it. */
export interface RequestHead {
  readonly url: string;
  readonly headers: HttpHeaders;
}

export function headOf(request: ServerRequest): RequestHead {
  const { url = '/' } = request;
  const target = url.startsWith('/') || request.httpVersionMajor > 1 ? null : ABSOLUTE.exec(url);
  return {
    url: target ? originForm(target) : url,
    headers: headersOf(request.rawHeaders, target?.[1]),
  };
}

/**
 * A record that inherits nothing, so that every name is an ordinary one. Not `Object.create(null)`: that is a hash table,
 * while tables made by one constructor share a shape, as the requests of one client do.
 */
const HeaderTable = function () {} as unknown as new () => Record<string, string[]>;
HeaderTable.prototype = Object.create(null);

/** An absolute request target of HTTP/1.1, as a client sends it that takes the server for a proxy: authority, then path and query. */
const ABSOLUTE = /^https?:\/\/([^/?#]+)([^#]*)/i;

const originForm = ([, , rest = '']: RegExpExecArray): string => (rest.startsWith('/') ? rest : `/${rest}`);

/**
 * Headers line by line. Node joins repeated ones with commas, and a comma inside a value would then forge another
 * value (a group to impersonate). `:authority` is the host of HTTP/2; that of an absolute target stands for the
 * header (RFC 9112, section 3.2.2).
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
 * The answer to a request of HTTP/1.1 that another server could take for another one: with several hosts (RFC 9112,
 * section 3.2), or with a body in an encoding that is not taken off here (section 6.1).
 */
export function refusalOf(headers: HttpHeaders): HttpResponse | undefined {
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

/** Of a connection, read once: parsing a certificate costs more than a small request. */
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
