import type { Readable } from 'node:stream';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';
import { parse } from 'yaml';

/** JSON object, read by path: `json['metadata']`. */
export type Json = Readonly<Record<string, unknown>>;

/** Response of an API server. */
export interface Reply {
  readonly status: number;
  readonly text: string;
  /** Parsed body; an empty object if the body is not a JSON object. */
  readonly json: Json;
}

/** Body, headers and cancellation of a call. */
export interface CallOptions {
  /** Body: a string is sent unchanged, any other value as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Client of an API server with the credentials of a kubeconfig, over verified TLS. */
export interface Api {
  readonly server: string;
  call(method: string, path: string, options?: CallOptions): Promise<Reply>;
  /** Returns the objects of a collection. */
  items(path: string): Promise<readonly Json[]>;
  /** Opens a watch. `ended` resolves at the end of the stream. */
  watch(path: string): Promise<Watching>;
  close(): Promise<void>;
}

/** A watch, and the events received so far. */
export interface Watching {
  readonly events: readonly Json[];
  readonly ended: Promise<void>;
}

interface ClientConfig {
  readonly clusters: readonly { readonly cluster: Readonly<Record<string, string>> }[];
  readonly users: readonly { readonly user: Readonly<Record<string, string>> }[];
}

const MERGE_PATCH = 'application/merge-patch+json';

/** Credentials of a client. */
export interface ApiOptions {
  /** Client certificate to use instead of the one in the kubeconfig; `none` for no certificate. */
  readonly credentials?: 'none' | { readonly cert: string; readonly key: string };
}

/** Creates a client from a kubeconfig file. */
export function createApi(configPath: string, { credentials }: ApiOptions = {}): Api {
  const config = parse(readFileSync(configPath, 'utf8')) as ClientConfig;
  const { cluster = {} } = config.clusters[0] ?? {};
  const { user = {} } = config.users[0] ?? {};
  const decode = (text: string | undefined): string => Buffer.from(text ?? '', 'base64').toString();
  const server = cluster['server'] ?? '';
  const own = {
    cert: decode(user['client-certificate-data']),
    key: decode(user['client-key-data']),
  };
  const dispatcher = new Agent({
    connect: {
      // A thousand simultaneous handshakes take long on a busy machine.
      timeout: 90_000,
      ca: decode(cluster['certificate-authority-data']),
      ...(credentials === 'none' ? {} : (credentials ?? own)),
    },
  });
  const send = (method: string, path: string, { body, headers, signal }: CallOptions) =>
    request(`${server}${path}`, {
      dispatcher,
      method,
      ...(signal ? { signal } : {}),
      headers: {
        ...(body === undefined
          ? {}
          : { 'content-type': method === 'PATCH' ? MERGE_PATCH : 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  const call: Api['call'] = async (method, path, options = {}) => {
    const response = await send(method, path, options);
    const text = await response.body.text();
    return { status: response.statusCode, text, json: objectOf(text) };
  };
  return {
    server,
    call,
    async items(path) {
      const { status, text, json } = await call('GET', path);
      if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
      return json['items'] as readonly Json[];
    },
    async watch(path) {
      const { statusCode, body } = await send('GET', path, {});
      if (statusCode !== 200) throw new Error(`GET ${path}: ${statusCode} ${await body.text()}`);
      return eventsOf(body);
    },
    close: () => dispatcher.destroy(),
  };
}

/** Collects the events of a watch's body. */
function eventsOf(body: Readable): Watching {
  const events: Json[] = [];
  let rest = '';
  body.setEncoding('utf8');
  body.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    events.push(...lines.filter(Boolean).map(objectOf));
  });
  const ended = new Promise<void>((resolve) => body.once('close', resolve));
  // A stream that breaks because the server was killed counts as ended.
  body.on('error', () => {});
  return { events, ended };
}

function objectOf(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Json) : {};
  } catch {
    return {};
  }
}

/** Returns the value at a path of keys; undefined if the path does not exist. */
export const at = (json: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? (value as Json)[key] : undefined),
    json,
  );

/** Returns the name of an object. */
export const nameOf = (json: Json): string => String(at(json, 'metadata', 'name'));
