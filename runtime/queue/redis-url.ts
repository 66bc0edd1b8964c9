import type { Cluster, Redis } from 'ioredis';
import { CodedError } from '../../base/errors/coded.ts';

/**
 * Where Redis is. `redis://[user:password@]host[:port][/db]` and `rediss://` (TLS) name one server;
 * `redis+sentinel://host:port,host:port/NAME[/db]` a server by its sentinels, whose own credentials are the parameters
 * `sentinelUsername` and `sentinelPassword`; `redis+cluster://host:port,host:port` a cluster by some of its nodes, each also as
 * `rediss+…`.
 */
export interface RedisAddress {
  readonly form: 'single' | 'sentinel' | 'cluster';
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  readonly tls: boolean;
  readonly username?: string;
  readonly password?: string;
  readonly db: number;
  /** Of the group of servers that the sentinels watch. */
  readonly name?: string;
  /** Of the sentinels. */
  readonly sentinelUsername?: string;
  readonly sentinelPassword?: string;
}

const URL_FORM =
  /^(redis|rediss)(?:\+(sentinel|cluster))?:\/\/(?:([^@/]*)@)?([^/?#]+)((?:\/[^/?#]*)*)(?:\?([^#]*))?$/;

const DEFAULT_PORTS = { single: 6379, sentinel: 26379, cluster: 6379 } as const;

/** Throws for what is none. The message never holds the URL, which may have a password in it. */
export function parseRedisUrl(url: string): RedisAddress {
  const match = URL_FORM.exec(url);
  if (match === null) throw refused('it has none of these forms');
  const [, scheme, variant, credentials, hostList = '', path = '', query = ''] = match;
  const form = variant === 'sentinel' || variant === 'cluster' ? variant : 'single';
  const hosts = hostList.split(',').map((host) => parseHost(host, DEFAULT_PORTS[form]));
  if (form === 'single' && hosts.length > 1)
    throw refused('it names several hosts without +sentinel or +cluster');
  const parts = path.split('/').filter((part) => part !== '');
  const name = form === 'sentinel' ? parts.shift() : undefined;
  if (form === 'sentinel' && name === undefined) throw refused('it lacks the name that the sentinels watch');
  const db = Number(parts[0] ?? 0);
  if (!Number.isInteger(db) || db < 0 || parts.length > 1) throw refused('its database is no whole number');
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
    `redis url cannot be used: ${why}; accepted are redis://HOST[:PORT][/DB], redis+sentinel://HOST:PORT,…/NAME[/DB][?sentinelPassword=…] and redis+cluster://HOST:PORT,…, each also with rediss for TLS`,
  );

function parseHost(text: string, defaultPort: number): { host: string; port: number } {
  const match = /^(\[[0-9a-fA-F:]+\]|[^:[\]]+)(?::(\d{1,5}))?$/.exec(text);
  const port = Number(match?.[2] ?? defaultPort);
  if (match?.[1] === undefined || port < 1 || port > 65_535) throw refused('a host or port in it is none');
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
      throw refused('it has a parameter that is not sentinelUsername or sentinelPassword of +sentinel');
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

/** Milliseconds before the next try to connect: quick at first, at most 2 s. */
const retryStrategy = (times: number): number => Math.min(2_000, 100 * times);

/** How a Redis over TLS is verified, and what it is shown; PEM. Default the machine's roots, and nothing. */
export interface RedisTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

export interface RedisClientOptions {
  /** Refuses commands while there is no connection, instead of holding them. */
  readonly failFast: boolean;
  /** No effect on an address without TLS. */
  readonly tls?: RedisTls;
}

/** A server that a fail-over has made a replica answers so: the connection is made anew, to the one in its place. */
const RECONNECT_AND_RESEND = 2;
const reconnectOnError = ({ message }: Error): false | typeof RECONNECT_AND_RESEND =>
  message.startsWith('READONLY') && RECONNECT_AND_RESEND;

/** A client that tries for ever to be connected. */
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
      // Certificates are for the names that the nodes are known by.
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
