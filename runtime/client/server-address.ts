import { messageOf } from '../../base/errors/index.ts';
import { ClientError } from './client-error.ts';
import type { TransportRequest } from './transport.ts';

/** Parses the base URL of a server. Throws `ERR_CONFIG` for anything but http and https. */
export function parseServer(server: string): { readonly origin: string; readonly path: string } {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url === undefined || !['https:', 'http:'].includes(url.protocol))
    throw new ClientError(
      'ERR_CONFIG',
      'server must be a URL with https or http, such as https://127.0.0.1:6443',
    );
  return { origin: url.origin, path: url.pathname.replace(/\/+$/, '') };
}

const TLS_CODES =
  /^(ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|INVALID_CA|HOSTNAME_MISMATCH)/;
const TIMEOUT_CODES = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT']);

const UNREACHABLE_CODES = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN']);

const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';

/** Converts an error of undici, `node:https` or a socket to a `ClientError`. */
export function explained(thrown: unknown, request: TransportRequest, origin: string): unknown {
  if (request.signal?.aborted) return request.signal.reason;
  if (thrown instanceof ClientError) return thrown;
  const code = codeOf(thrown);
  const text = `${origin}: ${code === '' ? messageOf(thrown) : `${code} ${messageOf(thrown)}`.trim()}`;
  if (TLS_CODES.test(code))
    return new ClientError('ERR_TLS', `certificate not accepted: ${text}`, { cause: thrown });
  if (TIMEOUT_CODES.has(code))
    return new ClientError('ERR_TIMEOUT', `no response from ${text}`, { cause: thrown });
  if (UNREACHABLE_CODES.has(code))
    return new ClientError('ERR_UNREACHABLE', `no connection to ${text}`, { cause: thrown });
  return new ClientError('ERR_CONNECTION', `connection failed to ${text}`, { cause: thrown });
}
