import type { OutboundPeer } from '../../base/http/index.ts';
import type { TlsConfig } from '../../runtime/client/index.ts';

/** Returns the peer for an address, with the verification settings of the client configuration. */
export const outboundPeer = (
  origin: string,
  { ca, serverName, insecure }: TlsConfig,
): Omit<OutboundPeer, 'certificate' | 'key'> => ({
  origin,
  ...(ca !== undefined && { ca }),
  ...(serverName !== undefined && { serverName }),
  ...(insecure === true && { insecureSkipVerify: true }),
});
