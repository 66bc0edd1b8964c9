import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { OutboundError } from '../../base/http/index.ts';
import { type DialPolicy, urlRefusal } from '../../base/net/index.ts';

/** Function that resolves a name to all its addresses: `dns.lookup` with `all`, or a replacement in tests. */
export type LookupAll = (
  name: string,
  options: { readonly all: true; readonly family?: number | 'IPv4' | 'IPv6'; readonly hints?: number },
  done: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

/** Throws `ERR_OUTBOUND_ADDRESS` if the host of the URL is an IP address that the policy rejects. */
export function requirePermitted(policy: DialPolicy | undefined, url: URL): void {
  const rejection = policy && urlRefusal(policy, url);
  if (rejection !== undefined) throw new OutboundError('ERR_OUTBOUND_ADDRESS', rejection);
}

/**
 * Returns a `lookup` for sockets that fails if the policy rejects any address of the name, as Kubernetes
 * does. The socket connects to a checked address; the name is not resolved a second time.
 */
export const permittedLookup =
  (policy: DialPolicy, port: number, lookup: LookupAll = systemLookup): LookupFunction =>
  (name, { family, hints, all }, done) => {
    const options = {
      all: true as const,
      ...(family !== undefined && { family }),
      ...(hints !== undefined && { hints }),
    };
    lookup(name, options, (error, found) => {
      if (error !== null) return done(error, '');
      const rejection = found
        .map(({ address }) => policy.refusal(address, port))
        .find((reason) => reason !== undefined);
      if (rejection !== undefined)
        return done(new OutboundError('ERR_OUTBOUND_ADDRESS', `${rejection} (${name})`), '');
      if (all === true) return done(null, found);
      const [first] = found;
      done(null, first?.address ?? '', first?.family ?? 0);
    });
  };
