import type { OutboundPeer } from '../base/http/outbound.ts';
import type { TlsConfig } from '../runtime/client/client-config.ts';

/** How a server is reached at an address, and verified as its client configuration says. */
export const outboundPeer = (
  origin: string,
  { ca, serverName, insecure }: TlsConfig,
): Omit<OutboundPeer, 'certificate' | 'key'> => ({
  origin,
  ...(ca !== undefined && { ca }),
  ...(serverName !== undefined && { serverName }),
  ...(insecure === true && { insecureSkipVerify: true }),
});
