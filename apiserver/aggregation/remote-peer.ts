import type { OutboundPeer } from '../../base/http/index.ts';
import type { Live } from '../../base/lifetime/index.ts';
import type { ServiceResolver, UnresolvedService } from '../outbound/service-resolver.ts';
import type { RemoteService } from './remote-services.ts';

/**
 * Client certificate and key (PEM) of this server's proxy. Other servers trust its identity headers because
 * of this certificate.
 */
export interface ProxyCredential {
  readonly certificate: string;
  readonly key: string;
}

/** Returns the address and TLS settings of another server, or the reason why its Service has no address. */
export function peerOf(
  { service, ca, insecureSkipVerify }: RemoteService,
  resolve: ServiceResolver,
  credential: Live<ProxyCredential> | undefined,
): OutboundPeer | UnresolvedService {
  const resolved = resolve(service.namespace, service.name, service.port);
  if ('rejection' in resolved) return resolved;
  return {
    ...resolved,
    ...credential?.(),
    ...(ca === undefined ? {} : { ca }),
    ...(insecureSkipVerify ? { insecureSkipVerify } : {}),
  };
}
