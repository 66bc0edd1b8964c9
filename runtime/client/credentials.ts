import type { Clock } from '../../base/clock/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import { ClientError } from './client-error.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';

/** Credentials sent with a request: a header, a certificate, both, or neither. */
export interface Credentials {
  /** Complete value of the `Authorization` header. */
  readonly authorization?: string;
  /** Certificate chain in PEM, leaf first. */
  readonly certificate?: string;
  /** Private key in PEM. */
  readonly key?: string;
}

/** Source of the credentials of each request. */
export interface CredentialSource {
  /** Returns the current credentials. Rejects with `ERR_CREDENTIAL` if they cannot be obtained. */
  get(): Promise<Credentials>;
  /**
   * Called after the server responded to `used` with 401. Resolves to true if `get` may now return other
   * credentials, so that a retry may succeed.
   */
  rejected(used: Credentials): Promise<boolean>;
}

/**
 * Sends requests with the credentials of a source. A request is sent once more after a 401 if the source has
 * other credentials by then: the server executed nothing before a 401.
 */
export const sendWithCredentials =
  (
    credentials: CredentialSource,
    dispatch: (request: TransportRequest, used: Credentials) => Promise<TransportResponse>,
  ) =>
  async (request: TransportRequest): Promise<TransportResponse> => {
    const used = await credentials.get();
    request.signal?.throwIfAborted();
    const response = await dispatch(request, used);
    if (response.status !== 401 || !(await credentials.rejected(used))) return response;
    for await (const chunk of response.body) void chunk;
    return dispatch(request, await credentials.get());
  };

/** Creates a source of fixed credentials. */
export const staticCredentials = (credentials: Credentials): CredentialSource => ({
  get: () => Promise.resolve(credentials),
  rejected: () => Promise.resolve(false),
});

/** Returns the `Authorization` header of a bearer token. */
export const bearer = (token: string): string => `Bearer ${token}`;

/** Returns the `Authorization` header of HTTP basic authentication. */
export const basic = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

/** Options of `tokenFileCredentials`. */
export interface TokenFileOptions {
  readonly path: string;
  readonly readFile: (path: string) => Promise<string>;
  readonly clock: Clock;
  /** Additional credentials, such as a certificate. */
  readonly additional?: Credentials;
  /**
   * Time in milliseconds until the file is read again. Default 60,000. Tokens in files are renewed well
   * before they expire.
   */
  readonly maxAgeMs?: number;
}

/** Creates a source that reads a bearer token from a file that another program keeps up to date. */
export function tokenFileCredentials(options: TokenFileOptions): CredentialSource {
  const { path, readFile, clock, additional = {}, maxAgeMs = 60_000 } = options;
  let held: { readonly credentials: Credentials; readonly readAtMs: number } | undefined;

  const read = async (): Promise<Credentials> => {
    let token: string;
    try {
      token = (await readFile(path)).trim();
    } catch (cause) {
      throw new ClientError('ERR_CREDENTIAL', `failed to read token file ${path}: ${messageOf(cause)}`, {
        cause,
      });
    }
    if (token === '') throw new ClientError('ERR_CREDENTIAL', `token file ${path} is empty`);
    held = { credentials: { ...additional, authorization: bearer(token) }, readAtMs: clock.monotonic() };
    return held.credentials;
  };
  return {
    async get() {
      if (held !== undefined && clock.monotonic() - held.readAtMs < maxAgeMs) return held.credentials;
      const last = held?.credentials;
      // The file may be missing while it is being replaced. The previous token is still valid for that time.
      return read().catch((thrown: unknown) => {
        if (last === undefined) throw thrown;
        return last;
      });
    },
    async rejected(used) {
      const now = await read().catch(() => used);
      return now.authorization !== used.authorization;
    },
  };
}
