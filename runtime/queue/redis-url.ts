import type { Cluster, Redis } from 'ioredis';
import { CodedError } from '../../base/errors/index.ts';

/**
 * Parsed Redis URL.
 *
 * - `redis://[user:password@]host[:port][/db]` and `rediss://` (TLS): one server;
 * - `redis+sentinel://host:port,host:port/NAME[/db]`: a server found through sentinels, whose credentials are
 * the parameters `sentinelUsername` and `sentinelPassword`;
 * - `redis+cluster://host:port,host:port`: a cluster, found through some of its nodes.
 *
 * `rediss+sentinel` and `rediss+cluster` connect with TLS.
 */
export interface RedisAddress {
  readonly form: 'single' | 'sentinel' | 'cluster';
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  readonly tls: boolean;
  readonly username?: string;
  readonly password?: string;
  readonly db: number;
  /** Name of the group of servers that the sentinels monitor. */
  readonly name?: string;
  /** User name for the sentinels. */
  readonly sentinelUsername?: string;
  readonly sentinelPassword?: string;
}

const URL_FORM =
  /^(redis|rediss)(?:\+(sentinel|cluster))?:\/\/(?:([^@/]*)@)?([^/?#]+)((?:\/[^/?#]*)*)(?:\?([^#]*))?$/;

const DEFAULT_PORTS = { single: 6379, sentinel: 26379, cluster: 6379 } as const;

/**
 * Parses a Redis URL. Throws `ERR_REDIS_URL` with a message that never contains the URL, because the URL may
 * include a password.
 */
export function parseRedisUrl(url: string): RedisAddress {
  const match = URL_FORM.exec(url);
  if (match === null) throw invalid('it has an unknown form');
  const [, scheme, variant, credentials, hostList = '', path = '', query = ''] = match;
  const form = variant === 'sentinel' || variant === 'cluster' ? variant : 'single';
  const hosts = hostList.split(',').map((host) => parseHost(host, DEFAULT_PORTS[form]));
  if (form === 'single' && hosts.length > 1) throw invalid('several hosts need +sentinel or +cluster');
  const parts = path.split('/').filter((part) => part !== '');
  const name = form === 'sentinel' ? parts.shift() : undefined;
  if (form === 'sentinel' && name === undefined) throw invalid('the name of the sentinel group is missing');
  const db = Number(parts[0] ?? 0);
  if (!Number.isInteger(db) || db < 0 || parts.length > 1)
    throw invalid('its database is not a whole number');
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

const invalid = (why: string): CodedError =>
  new CodedError(
    'ERR_REDIS_URL',
    `invalid redis url: ${why}; expected redis://HOST[:PORT][/DB], redis+sentinel://HOST:PORT,…/NAME[/DB][?sentinelPassword=…] or redis+cluster://HOST:PORT,…, each also with rediss for TLS`,
  );

function parseHost(text: string, defaultPort: number): { host: string; port: number } {
  const match = /^(\[[0-9a-fA-F:]+\]|[^:[\]]+)(?::(\d{1,5}))?$/.exec(text);
  const port = Number(match?.[2] ?? defaultPort);
  if (match?.[1] === undefined || port < 1 || port > 65_535) throw invalid('a host or port is invalid');
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
      throw invalid('it has an unknown parameter');
    found[name] = decode(value);
  }
  return found;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw invalid('its credentials are not percent-encoded');
  }
}

/** Returns the milliseconds before the next connection attempt: 100 more each time, at most 2,000. */
const retryStrategy = (times: number): number => Math.min(2_000, 100 * times);

/** TLS settings in PEM. Default: the root certificates of the system and no client certificate. */
export interface RedisTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

export interface RedisClientOptions {
  /** True if commands fail while there is no connection, false if they wait for it. */
  readonly failFast: boolean;
  /** TLS settings; ignored for an address without TLS. */
  readonly tls?: RedisTls;
}

/**
 * Result of `reconnectOnError` for a READONLY error, with which a server responds that became a replica after
 * a fail-over. The client then reconnects to the new primary.
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
      // Certificates of nodes are issued for their names, so names are not resolved to addresses.
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
