import { Readable, pipeline } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import type { HttpHeaders } from '../../base/http/index.ts';
import { createPageLinks } from './page-links.ts';

/** Where a link in a peer's answer leads as the client sees it; a link elsewhere is given back as it is. */
export type Relink = (link: string) => string;

export interface ProxyPlace {
  /** Path at this server that the peer's paths stand behind. */
  readonly prefix: string;
  /** `host:port` of the peer. */
  readonly peer: string;
  /** `host:port` that the client asked for; '' for none. */
  readonly asked: string;
}

const LINK = /^([a-z][a-z\d+.-]*:)?(\/\/([^/?#]*))?(.*)$/is;

/** Links to a path of the peer, with or without its name, are led through the proxy (release 1.24, `proxy.Transport`). */
export function createRelink({ prefix, peer, asked }: ProxyPlace): Relink {
  return (link) => {
    const [, scheme = '', authority = '', host = '', path = ''] = LINK.exec(link) ?? [];
    const isElsewhere = host === '' ? scheme + authority !== '' : host !== peer && host !== asked;
    if (isElsewhere || !path.startsWith('/')) return link;
    const origin = host !== '' && host === asked ? scheme + authority : '';
    return path.startsWith(prefix) ? origin + path : origin + prefix + path;
  };
}

type Body = AsyncIterable<Uint8Array>;

/** Whether `relinkedPage` knows how to read the body. */
export function isPage(headers: HttpHeaders): boolean {
  const [type = ''] = headers['content-type']?.[0]?.split(';') ?? [];
  const encoding = encodingOf(headers);
  return type.trim().toLowerCase() === 'text/html' && (encoding === '' || encoding === 'gzip');
}

const encodingOf = (headers: HttpHeaders): string =>
  (headers['content-encoding'] ?? []).join(', ').trim().toLowerCase();

/** The body of a page with its links led elsewhere, in the encoding it came in, as it comes in. Rejects where that breaks off. */
export function relinkedPage(body: Body, headers: HttpHeaders, relink: Relink): Body {
  if (encodingOf(headers) === '') return relinkedText(body, relink);
  const through = async function* (page: Body): Body {
    yield* relinkedText(page, relink);
  };
  // Whoever reads the end of it is told what went wrong on the way.
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
