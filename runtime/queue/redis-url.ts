import type { Cluster, Redis } from 'ioredis';
import { CodedError } from '../../base/errors/index.ts';

/**
 * Parsed Redis URL.
 *
 * - `redis://[user:password@]host[:port][/db]` and `rediss://` (TLS): one server;
 * - `redis+sentinel://host:port,host:port/NAME[/db]`: a server found by its sentinels, whose credentials are
 * the parameters `sentinelUsername` and `sentinelPassword`;
 * - `redis+cluster://host:port,host:port`: a cluster, by some of its nodes.
 *
 * The last two exist as `rediss+…` too.
 */
export interface RedisAddress {
  readonly form: 'single' | 'sentinel' | 'cluster';
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  readonly tls: boolean;
  readonly username?: string;
  readonly password?: string;
  readonly db: number;
  /** Name of the group of servers that the sentinels watch. */
  readonly name?: string;
  /** Credentials for the sentinels. */
  readonly sentinelUsername?: string;
  readonly sentinelPassword?: string;
}

const URL_FORM =
  /^(redis|rediss)(?:\+(sentinel|cluster))?:\/\/(?:([^@/]*)@)?([^/?#]+)((?:\/[^/?#]*)*)(?:\?([^#]*))?$/;

const DEFAULT_PORTS = { single: 6379, sentinel: 26379, cluster: 6379 } as const;

/**
 * Parses a Redis URL or throws `ERR_REDIS_URL`. The message never contains the URL, which may include a
 * password.
 */
export function parseRedisUrl(url: string): RedisAddress {
  const match = URL_FORM.exec(url);
  if (match === null) throw refused('it has an unknown form');
  const [, scheme, variant, credentials, hostList = '', path = '', query = ''] = match;
  const form = variant === 'sentinel' || variant === 'cluster' ? variant : 'single';
  const hosts = hostList.split(',').map((host) => parseHost(host, DEFAULT_PORTS[form]));
  if (form === 'single' && hosts.length > 1) throw refused('several hosts need +sentinel or +cluster');
  const parts = path.split('/').filter((part) => part !== '');
  const name = form === 'sentinel' ? parts.shift() : undefined;
  if (form === 'sentinel' && name === undefined) throw refused('the name of the sentinel group is missing');
  const db = Number(parts[0] ?? 0);
  if (!Number.isInteger(db) || db < 0 || parts.length > 1)
    throw refused('its database is not a whole number');
  return {
    form,
    hosts,
    tls: scheme === 'rediss',
    db,
    ...parseCredentials(credentials),
    ...(name === undefined ? {} : { name }),
    ...parseSentinelCredentials(form, query),
  };
}

const refused = (why: string): CodedError =>
  new CodedError(
    'ERR_REDIS_URL',
    `invalid redis url: ${why}; expected redis://HOST[:PORT][/DB], redis+sentinel://HOST:PORT,…/NAME[/DB][?sentinelPassword=…] or redis+cluster://HOST:PORT,…, each also with rediss for TLS`,
  );

function parseHost(text: string, defaultPort: number): { host: string; port: number } {
  const match = /^(\[[0-9a-fA-F:]+\]|[^:[\]]+)(?::(\d{1,5}))?$/.exec(text);
  const port = Number(match?.[2] ?? defaultPort);
  if (match?.[1] === undefined || port < 1 || port > 65_535) throw refused('a host or port is invalid');
  return { host: match[1].replace(/^\[|\]$/g, ''), port };
}

function parseCredentials(text: string | undefined): { username?: string; password?: string } {
  if (text === undefined || text === '') return {};
  const colon = text.indexOf(':');
  if (colon < 0) return { password: decode(text) };
  const username = decode(text.slice(0, colon));
  return { ...(username === '' ? {} : { username }), password: decode(text.slice(colon + 1)) };
}

function parseSentinelCredentials(
  form: RedisAddress['form'],
  query: string,
): Pick<RedisAddress, 'sentinelUsername' | 'sentinelPassword'> {
  const found: { sentinelUsername?: string; sentinelPassword?: string } = {};
  for (const parameter of query === '' ? [] : query.split('&')) {
    const [name = '', value = ''] = parameter.split(/=(.*)/s);
    if (form !== 'sentinel' || (name !== 'sentinelUsername' && name !== 'sentinelPassword'))
      throw refused('it has an unknown parameter');
    found[name] = decode(value);
  }
  return found;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw refused('its credentials are not percent-encoded');
  }
}

/** Milliseconds before the next connection attempt: 100 more each time, at most 2,000. */
const retryStrategy = (times: number): number => Math.min(2_000, 100 * times);

/** TLS settings in PEM. Default: the machine's root certificates, no client certificate. */
export interface RedisTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

export interface RedisClientOptions {
  /** Fails commands while there is no connection, instead of holding them. */
  readonly failFast: boolean;
  /** Ignored for an address without TLS. */
  readonly tls?: RedisTls;
}

/**
 * A server that became a replica answers READONLY after a fail-over. The client then reconnects, to the new
 * primary.
 */
const RECONNECT_AND_RESEND = 2;
const reconnectOnError = ({ message }: Error): false | typeof RECONNECT_AND_RESEND =>
  message.startsWith('READONLY') && RECONNECT_AND_RESEND;

/** Creates a client that retries its connection without limit. */
export async function createRedisClient(
  address: RedisAddress,
  { failFast, tls = {} }: RedisClientOptions,
): Promise<Redis | Cluster> {
  const { Redis, Cluster } = await import('ioredis');
  const { username, password, db, sentinelUsername, sentinelPassword } = address;
  const shared = {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(address.tls ? { tls } : {}),
    enableOfflineQueue: !failFast,
    maxRetriesPerRequest: failFast ? 0 : null,
    connectTimeout: 3_000,
    retryStrategy,
    reconnectOnError,
  };
  const [first = { host: '127.0.0.1', port: 6379 }] = address.hosts;
  if (address.form === 'cluster')
    return new Cluster([...address.hosts], {
      redisOptions: shared,
      enableOfflineQueue: !failFast,
      clusterRetryStrategy: retryStrategy,
      // Certificates are issued for the names of the nodes, so names are not resolved to addresses.
      ...(address.tls ? { dnsLookup: (host, found) => found(null, host) } : {}),
    });
  if (address.form === 'sentinel')
    return new Redis({
      ...shared,
      db,
      sentinels: [...address.hosts],
      name: address.name ?? '',
      ...(sentinelUsername === undefined ? {} : { sentinelUsername }),
      ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
      failoverDetector: true,
      ...(address.tls ? { enableTLSForSentinelMode: true, sentinelTLS: tls } : {}),
      sentinelRetryStrategy: retryStrategy,
    });
  return new Redis({ ...shared, ...first, db });
}
