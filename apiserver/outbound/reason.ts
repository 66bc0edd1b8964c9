import { isIP } from 'node:net';
import { messageOf } from '../../base/errors/index.ts';

/** Upstream's message for a request that timed out. */
export const TIMED_OUT = 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';

/** Error codes for certificates without a trusted chain. */
const UNKNOWN_AUTHORITY = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Returns the reason why `origin` did not respond. Uses Go's messages where clients know them. */
export function outboundReason(thrown: unknown, origin: string): string {
  const { hostname, port } = new URL(origin);
  const place = `${hostname}:${port || '443'}`;
  const code = causeCode(thrown);
  if (UNKNOWN_AUTHORITY.has(code)) return 'x509: certificate signed by unknown authority';
  switch (code) {
    case 'ENOTFOUND':
      return `dial tcp: lookup ${hostname}: no such host`;
    case 'UND_ERR_SOCKET':
      return 'EOF';
    case 'ECONNRESET':
      return 'read: connection reset by peer';
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return 'x509: certificate has expired or is not yet valid';
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `x509: ${otherName(thrown, hostname)}`;
    case 'ECONNREFUSED':
      return `dial tcp ${place}: connect: connection refused`;
    case 'EHOSTUNREACH':
      return `dial tcp ${place}: connect: no route to host`;
    case 'UND_ERR_CONNECT_TIMEOUT':
      return `dial tcp ${place}: i/o timeout`;
    case 'UND_ERR_HEADERS_TIMEOUT':
      return TIMED_OUT;
    default:
      return messageOf(thrown);
  }
}

/** True if the peer closed the connection, so that a retry may succeed. */
export const isConnectionReset = (thrown: unknown): boolean =>
  ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(causeCode(thrown));

/** Returns Go's message for a certificate with another host name. */
function otherName(thrown: unknown, hostname: string): string {
  const cause = causeOf(thrown) as {
    readonly host?: string;
    readonly cert?: { readonly subjectaltname?: string };
  };
  const { host = hostname, cert } = cause;
  const names = (kind: string): string[] =>
    (cert?.subjectaltname ?? '')
      .split(', ')
      .flatMap((each) => (each.startsWith(`${kind}:`) ? [each.slice(kind.length + 1)] : []));
  const held = names(isIP(host) === 0 ? 'DNS' : 'IP Address');
  if (held.length > 0) return `certificate is valid for ${held.join(', ')}, not ${host}`;
  return isIP(host) === 0
    ? `certificate is not valid for any names, but wanted to match ${host}`
    : `cannot validate certificate for ${host} because it doesn't contain any IP SANs`;
}

const causeOf = (thrown: unknown): unknown => (thrown instanceof Error ? thrown.cause : undefined);

function causeCode(thrown: unknown): string {
  const cause = causeOf(thrown);
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
}
