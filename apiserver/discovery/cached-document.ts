import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { type HttpHeaders, type HttpResponse, firstHeader } from '../../base/http/index.ts';
import { acceptsGzip } from '../http/response/compression.ts';

const compress = promisify(gzip);

/** Rarely changing document that is encoded, hashed and compressed only once, on first use. */
export interface CachedDocument {
  /**
   * Returns the SHA-512 of the document in upper-case hexadecimal. Documents that share a hash return the
   * hash of the other representation.
   */
  hash(): string;
  /** Returns the response to a request; status 304 if the client's entity tag matches the hash. */
  respond(request: HttpHeaders, headers?: Readonly<Record<string, string>>): Promise<HttpResponse>;
}

/**
 * Creates a document. `of` is another representation with which the document shares the hash; by default, it
 * has its own hash.
 */
export function createCachedDocument(
  mediaType: string,
  encode: () => Buffer,
  of?: CachedDocument,
): CachedDocument {
  let bytes: Buffer | undefined;
  let hash: string | undefined;
  let zipped: Promise<Buffer> | undefined;
  const encoded = (): Buffer => (bytes ??= encode());
  const hashed = (): string =>
    of?.hash() ?? (hash ??= createHash('sha512').update(encoded()).digest('hex').toUpperCase());
  return {
    hash: hashed,
    async respond(request, headers = {}) {
      const etag = `"${hashed()}"`;
      const common = { 'content-type': mediaType, etag, vary: 'Accept', ...headers };
      if (matches(firstHeader(request, 'if-none-match'), etag))
        return { status: 304, headers: { etag, vary: 'Accept', ...headers }, body: Buffer.alloc(0) };
      if (!acceptsGzip(request) || encoded().length < 1024)
        return { status: 200, headers: common, body: encoded() };
      zipped ??= compress(encoded(), { level: constants.Z_DEFAULT_COMPRESSION });
      return {
        status: 200,
        headers: { ...common, vary: 'Accept, Accept-Encoding', 'content-encoding': 'gzip' },
        body: await zipped,
      };
    },
  };
}

const matches = (header: string | undefined, etag: string): boolean =>
  header !== undefined &&
  (header === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag));
