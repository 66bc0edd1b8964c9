import { embeddedAddresses, parseAddress, specialRange } from './address.ts';

/**
 * Decides which addresses may be dialled because of objects written by clients: nodes, pods, endpoints,
 * services, webhooks and aggregated servers. Without it a client could make the server call itself or its
 * machine with the server's credentials.
 */
export interface DialPolicy {
  /**
   * Returns the reason why `host` must not be dialled, or undefined. `host` is an IP address, with or without
   * brackets. Names are not decided here: each resolved address must be checked, and the connection must use
   * one of those.
   */
  refusal(host: string, port: number): string | undefined;
}

/** Options of `createDialPolicy`. */
export interface DialPolicyOptions {
  /** True to permit loopback addresses, for test clusters on one machine. Default false. */
  readonly allowLoopback?: boolean;
  /** Returns the addresses of this server on a port, which are never permitted. Default none. */
  readonly own?: (port: number) => readonly string[];
}

/** Start of every refusal, like `ErrAddressNotAllowed` in Kubernetes. */
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

/** True if an address leads to this server; any loopback address does on a port that it listens on. */
function isOwn(bytes: Uint8Array, own: readonly string[], isLoopback: boolean): boolean {
  if (own.length === 0 || isLoopback) return own.length > 0;
  const forms = formsOf(bytes);
  return own.some((host) => formsOf(parseAddress(host)).some((form) => forms.includes(form)));
}

/** Returns texts that are equal for addresses of the same host. */
const formsOf = (bytes: Uint8Array | undefined): readonly string[] =>
  bytes === undefined ? [] : [bytes, ...embeddedAddresses(bytes)].map(String);

/**
 * Returns the reason why the host of a URL must not be dialled. The URL is read as the connection reads it:
 * `127.1` is loopback.
 */
export const urlRefusal = (
  policy: DialPolicy,
  url: Pick<URL, 'hostname' | 'port' | 'protocol'>,
): string | undefined => policy.refusal(url.hostname, urlPort(url));

/** Returns the port of a URL, by default that of its protocol. */
export const urlPort = ({ port, protocol }: Pick<URL, 'port' | 'protocol'>): number =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
