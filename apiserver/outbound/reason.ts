import { messageOf } from '../../base/errors/coded.ts';

/** Why there was no answer from `origin`, in the words of the real system where clients know them. */
export function outboundReason(thrown: unknown, origin: string): string {
  const { hostname, port } = new URL(origin);
  const place = `${hostname}:${port || '443'}`;
  switch (causeCode(thrown)) {
    case 'ECONNREFUSED':
      return `dial tcp ${place}: connect: connection refused`;
    case 'EHOSTUNREACH':
      return `dial tcp ${place}: connect: no route to host`;
    case 'UND_ERR_CONNECT_TIMEOUT':
      return `dial tcp ${place}: i/o timeout`;
    default:
      return messageOf(thrown);
  }
}

/** Whether the peer was there and hung up: trying once more may do. */
export const isConnectionReset = (thrown: unknown): boolean =>
  ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(causeCode(thrown));

function causeCode(thrown: unknown): string {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
}
