import type { Clock } from '../../base/clock/clock.ts';
import { messageOf } from '../../base/errors/coded.ts';
import { ClientError } from './client-error.ts';

/** What a request shows to say who asks: a header, a certificate, both or nothing. */
export interface Credentials {
  /** Whole value of the `Authorization` header. */
  readonly authorization?: string;
  /** PEM, leaf first. */
  readonly certificate?: string;
  /** PEM. */
  readonly key?: string;
}

/** Where credentials come from, asked before every request. */
export interface CredentialSource {
  /** Rejects with `ERR_CREDENTIAL`. */
  get(): Promise<Credentials>;
  /** The server answered 401 to `used`; true when others may be had, so that trying once more makes sense. */
  refused(used: Credentials): Promise<boolean>;
}

export const staticCredentials = (credentials: Credentials): CredentialSource => ({
  get: () => Promise.resolve(credentials),
  refused: () => Promise.resolve(false),
});

export const bearer = (token: string): string => `Bearer ${token}`;

export const basic = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

export interface TokenFileOptions {
  readonly path: string;
  readonly readFile: (path: string) => Promise<string>;
  readonly clock: Clock;
  /** Credentials shown besides the token. */
  readonly besides?: Credentials;
  /** Milliseconds until the file is read again. Default 60 000: tokens in it are renewed well before they expire. */
  readonly maxAgeMs?: number;
}

/** A bearer token kept up to date in a file by another program. */
export function tokenFileCredentials(options: TokenFileOptions): CredentialSource {
  const { path, readFile, clock, besides = {}, maxAgeMs = 60_000 } = options;
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
    held = { credentials: { ...besides, authorization: bearer(token) }, readAtMs: clock.monotonic() };
    return held.credentials;
  };
  return {
    async get() {
      if (held !== undefined && clock.monotonic() - held.readAtMs < maxAgeMs) return held.credentials;
      const last = held?.credentials;
      // A file that is being replaced may be missing for a moment; the token of before is good for longer than that.
      return read().catch((thrown: unknown) => {
        if (last === undefined) throw thrown;
        return last;
      });
    },
    async refused(used) {
      const now = await read().catch(() => used);
      return now.authorization !== used.authorization;
    },
  };
}
