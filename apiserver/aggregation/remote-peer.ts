import type { OutboundPeer } from '../../base/http/index.ts';
import type { Live } from '../../base/lifetime/index.ts';
import type { ServiceResolver, UnresolvedService } from '../outbound/service-resolver.ts';
import type { RemoteService } from './remote-services.ts';

/** What the server shows other servers, so that they believe it whom a request comes from. PEM. */
export interface ProxyCredential {
  readonly certificate: string;
  readonly key: string;
}

/** How a remote server is reached now, or why it cannot be. */
export function peerOf(
  { service, ca, insecureSkipVerify }: RemoteService,
  resolve: ServiceResolver,
  credential: Live<ProxyCredential> | undefined,
): OutboundPeer | UnresolvedService {
  const resolved = resolve(service.namespace, service.name, service.port);
  if ('refusal' in resolved) return resolved;
  return {
    ...resolved,
    ...credential?.(),
    ...(ca === undefined ? {} : { ca }),
    ...(insecureSkipVerify ? { insecureSkipVerify } : {}),
  };
}
