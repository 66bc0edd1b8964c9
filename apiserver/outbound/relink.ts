import { Readable, pipeline } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import type { HttpHeaders } from '../../base/http/index.ts';
import { createPageLinks } from './page-links.ts';

/** Function that rewrites a link in a peer's response for the client. Links to other hosts are unchanged. */
export type Relink = (link: string) => string;

/** Path and hosts by which a proxied peer is reached. */
export interface ProxyPlace {
  /** Path prefix on this server for the peer's paths. */
  readonly prefix: string;
  /** Peer address as `host:port`. */
  readonly peer: string;
  /** Host header of the client's request, such as `host:port`; '' if there is none. */
  readonly requested: string;
}

const LINK = /^([a-z][a-z\d+.-]*:)?(\/\/([^/?#]*))?(.*)$/is;

/**
 * Returns a function that prefixes relative and absolute links to the peer with the proxy's path
 * (https://github.com/kubernetes/kubernetes/blob/v1.24.0/staging/src/k8s.io/apimachinery/pkg/util/proxy/transport.go).
 */
export function createRelink({ prefix, peer, requested }: ProxyPlace): Relink {
  return (link) => {
    const [, scheme = '', authority = '', host = '', path = ''] = LINK.exec(link) ?? [];
    const isElsewhere = host === '' ? scheme + authority !== '' : host !== peer && host !== requested;
    if (isElsewhere || !path.startsWith('/')) return link;
    const origin = host !== '' && host === requested ? scheme + authority : '';
    return path.startsWith(prefix) ? origin + path : origin + prefix + path;
  };
}

type Body = AsyncIterable<Uint8Array>;

/** True if `relinkedPage` can read the body: HTML, uncompressed or compressed with gzip. */
export function isPage(headers: HttpHeaders): boolean {
  const [type = ''] = headers['content-type']?.[0]?.split(';') ?? [];
  const encoding = encodingOf(headers);
  return type.trim().toLowerCase() === 'text/html' && (encoding === '' || encoding === 'gzip');
}

const encodingOf = (headers: HttpHeaders): string =>
  (headers['content-encoding'] ?? []).join(', ').trim().toLowerCase();

/**
 * Rewrites the links of a page while the page is streamed, and keeps its encoding. The result rejects if the
 * body fails.
 */
export function relinkedPage(body: Body, headers: HttpHeaders, relink: Relink): Body {
  if (encodingOf(headers) === '') return relinkedText(body, relink);
  const through = async function* (page: Body): Body {
    yield* relinkedText(page, relink);
  };
  // The reader of the last stream receives any error.
  return pipeline(Readable.from(body), createGunzip(), through, createGzip(), () => undefined);
}

async function* relinkedText(body: Body, relink: Relink): AsyncGenerator<Uint8Array> {
  const page = createPageLinks(relink);
  for await (const chunk of body) {
    const settled = page.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1'));
    if (settled !== '') yield Buffer.from(settled, 'latin1');
  }
  const rest = page.end();
  if (rest !== '') yield Buffer.from(rest, 'latin1');
}
