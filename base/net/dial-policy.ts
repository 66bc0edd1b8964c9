import { embeddedAddresses, parseAddress, specialRange } from './address.ts';

/**
 * Policy for connections to addresses from objects that clients write: nodes, pods, endpoints, services,
 * webhooks and aggregated servers. Without a policy, a client could make the server connect to itself or its
 * machine with the server's credentials.
 */
export interface DialPolicy {
  /**
   * Returns the reason why connections to `host` are forbidden, or undefined if they are allowed. `host` is
   * an IP address, with or without brackets. Host names are always allowed here: the caller must check each
   * resolved address and connect to a checked one.
   */
  refusal(host: string, port: number): string | undefined;
}

/** Options of `createDialPolicy`. */
export interface DialPolicyOptions {
  /** True to allow loopback addresses, for test clusters on one machine. The default is false. */
  readonly allowLoopback?: boolean;
  /** Returns the addresses of this server on a port, which are always forbidden. The default is none. */
  readonly own?: (port: number) => readonly string[];
}

/** Start of every message of the policy, like `ErrAddressNotAllowed` in Kubernetes. */
export const ADDRESS_NOT_ALLOWED = 'address not allowed';

/** Creates a policy. */
export function createDialPolicy({ allowLoopback = false, own = () => [] }: DialPolicyOptions): DialPolicy {
  return {
    refusal(host, port) {
      const bytes = parseAddress(host.replace(/^\[|\]$/g, ''));
      if (bytes === undefined) return undefined;
      const range = specialRange(bytes);
      if (isOwn(bytes, own(port), range === 'loopback'))
        return `${ADDRESS_NOT_ALLOWED}: ${host} port ${port} is this server itself`;
      if (range === undefined || (range === 'loopback' && allowLoopback)) return undefined;
      const remedy = range === 'loopback' ? '; --allow-loopback-proxy permits it' : '';
      return `${ADDRESS_NOT_ALLOWED}: ${host} is ${range}${remedy}`;
    },
  };
}

/**
 * True if an address leads to this server. On a port on which the server listens, every loopback address
 * does.
 */
function isOwn(bytes: Uint8Array, own: readonly string[], isLoopback: boolean): boolean {
  if (own.length === 0 || isLoopback) return own.length > 0;
  const forms = formsOf(bytes);
  return own.some((host) => formsOf(parseAddress(host)).some((form) => forms.includes(form)));
}

/**
 * Returns strings that identify the host of an address. Two addresses of the same host have at least one of
 * them in common.
 */
const formsOf = (bytes: Uint8Array | undefined): readonly string[] =>
  bytes === undefined ? [] : [bytes, ...embeddedAddresses(bytes)].map(String);

/**
 * Returns the reason why connections to the host of a URL are forbidden, or undefined. The host is
 * interpreted as a connection would: `127.1` is loopback.
 */
export const urlRefusal = (
  policy: DialPolicy,
  url: Pick<URL, 'hostname' | 'port' | 'protocol'>,
): string | undefined => policy.refusal(url.hostname, urlPort(url));

/** Returns the port of a URL, by default the port of its protocol. */
export const urlPort = ({ port, protocol }: Pick<URL, 'port' | 'protocol'>): number =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
