import { embeddedAddresses, parseAddress, specialRange } from './address.ts';

/**
 * Decides which addresses may be dialled on behalf of objects that clients write: nodes, pods, endpoints, services, webhooks
 * and aggregated servers. Without it a client has the server call itself, or its machine, with the server's credentials.
 */
export interface DialPolicy {
  /**
   * Returns why `host` must not be dialled, undefined if it may be. `host` is an IP address, in brackets or not. A name is
   * not decided here: each address it resolves to must be, and the connection must go to one of those.
   */
  refusal(host: string, port: number): string | undefined;
}

export interface DialPolicyOptions {
  /** Permits loopback addresses, for test clusters on one machine. Default false. */
  readonly allowLoopback?: boolean;
  /** Addresses at which this server is reached on a port, asked for each decision; never permitted. Default none. */
  readonly own?: (port: number) => readonly string[];
}

/** The beginning of every refusal, upstream's `ErrAddressNotAllowed`. */
export const ADDRESS_NOT_ALLOWED = 'address not allowed';

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

/** True if an address leads to this server: any loopback address does on a port that it listens on. */
function isOwn(bytes: Uint8Array, own: readonly string[], isLoopback: boolean): boolean {
  if (own.length === 0 || isLoopback) return own.length > 0;
  const forms = formsOf(bytes);
  return own.some((host) => formsOf(parseAddress(host)).some((form) => forms.includes(form)));
}

/** Texts that are equal for addresses of one host. */
const formsOf = (bytes: Uint8Array | undefined): readonly string[] =>
  bytes === undefined ? [] : [bytes, ...embeddedAddresses(bytes)].map(String);

/** Returns why the host of a URL must not be dialled, read as the connection reads it: `127.1` is loopback there. */
export const urlRefusal = (
  policy: DialPolicy,
  url: Pick<URL, 'hostname' | 'port' | 'protocol'>,
): string | undefined => policy.refusal(url.hostname, urlPort(url));

export const urlPort = ({ port, protocol }: Pick<URL, 'port' | 'protocol'>): number =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
