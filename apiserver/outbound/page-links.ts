/**
 * Attributes with URLs, by HTML element (https://www.w3.org/TR/html401/index/attributes.html,
 * https://html.spec.whatwg.org/multipage/indices.html#attributes-3).
 */
const LINKS: ReadonlyMap<string, readonly string[]> = new Map([
  ['a', ['href']],
  ['applet', ['codebase']],
  ['area', ['href']],
  ['audio', ['src']],
  ['base', ['href']],
  ['blockquote', ['cite']],
  ['body', ['background']],
  ['button', ['formaction']],
  ['command', ['icon']],
  ['del', ['cite']],
  ['embed', ['src']],
  ['form', ['action']],
  ['frame', ['longdesc', 'src']],
  ['head', ['profile']],
  ['html', ['manifest']],
  ['iframe', ['longdesc', 'src']],
  ['img', ['longdesc', 'src', 'usemap']],
  ['input', ['src', 'usemap', 'formaction']],
  ['ins', ['cite']],
  ['link', ['href']],
  ['object', ['classid', 'codebase', 'data', 'usemap']],
  ['q', ['cite']],
  ['script', ['src']],
  ['source', ['src']],
  ['video', ['poster', 'src']],
]);

/** Elements whose content contains no tag except their own end tag. */
const RAW = new Set([
  'iframe',
  'noembed',
  'noframes',
  'noscript',
  'plaintext',
  'script',
  'style',
  'textarea',
  'title',
  'xmp',
]);

/**
 * Maximum length in characters of a tag that is buffered. A longer tag contains an inline image rather than a
 * link, and is not rewritten.
 */
const MAX_TAG = 8 * 1024;
/**
 * Maximum length in characters of the text that ends a comment or element, which may be split between two
 * writes.
 */
const MAX_END = 16;

const NAME = /[a-z][^\s/>]*/iy;
/** Name of an attribute, and its value unless the value is quoted. */
const ATTRIBUTE = /[\s/]*([^\s/>][^\s/>=]*)(?:\s*=\s*(?:(?=["'])|([^\s>"'][^\s>]*)?))?/y;

interface StartTag {
  readonly name: string;
  /** Index after the `>`. */
  readonly end: number;
  readonly attributes: readonly { readonly name: string; readonly from: number; readonly to: number }[];
}

/** Parses the start tag at `at`. Returns undefined if the tag is incomplete. */
function startTagAt(page: string, at: number): StartTag | undefined {
  NAME.lastIndex = at + 1;
  const name = NAME.exec(page)?.[0] ?? '';
  const attributes: { name: string; from: number; to: number }[] = [];
  for (let next = at + 1 + name.length; ;) {
    ATTRIBUTE.lastIndex = next;
    const found = ATTRIBUTE.exec(page);
    if (found === null) {
      const end = page.indexOf('>', next);
      return end < 0 ? undefined : { name: name.toLowerCase(), end: end + 1, attributes };
    }
    next = ATTRIBUTE.lastIndex;
    const quote = page[next];
    const isQuoted = found[0].trimEnd().endsWith('=') && (quote === '"' || quote === "'");
    const to = isQuoted ? page.indexOf(quote, next + 1) : next;
    if (to < 0 || to === page.length) return undefined;
    const from = isQuoted ? next + 1 : to - (found[2]?.length ?? 0);
    attributes.push({ name: (found[1] ?? '').toLowerCase(), from, to });
    next = isQuoted ? to + 1 : to;
  }
}

/** Returns a tag with rewritten URLs. */
function relinkedTag(page: string, at: number, tag: StartTag, relink: (link: string) => string): string {
  const links = LINKS.get(tag.name) ?? [];
  let done = at;
  let text = '';
  for (const { name, from, to } of tag.attributes) {
    if (!links.includes(name) || from === to) continue;
    text += page.slice(done, from) + relink(page.slice(from, to));
    done = to;
  }
  return text + page.slice(done, tag.end);
}

/** Rewritten part of the page, and its end index. */
interface Piece {
  readonly text: string;
  readonly end: number;
}

const pieceOf = (page: string, from: number, end: number): Piece => ({ text: page.slice(from, end), end });

/** Streaming rewriter of the links in one page. */
export interface PageLinks {
  /** Adds text, and returns the rewritten text that is complete. */
  write(text: string): string;
  /** Returns the remaining text. */
  end(): string;
}

/**
 * Creates a rewriter for the URLs of an HTML page. It leaves all other characters unchanged. Text in an
 * ASCII-compatible encoding may be passed as bytes decoded as Latin-1.
 */
export function createPageLinks(relink: (link: string) => string): PageLinks {
  let held = '';
  /** End of the comment, markup or element that contains the current position. */
  let until: RegExp | undefined;

  /** Returns the complete text before the match of `ending`. Returns undefined if no text is complete yet. */
  function partAt(page: string, at: number, ending: RegExp): Piece | undefined {
    ending.lastIndex = at;
    if (ending.test(page)) {
      until = undefined;
      return pieceOf(page, at, ending.lastIndex);
    }
    // The last characters may be the start of the ending.
    const settled = page.length - MAX_END;
    return settled > at ? pieceOf(page, at, settled) : undefined;
  }

  /** Returns the next part of the page. Returns undefined if more text is needed. */
  function pieceAt(page: string, at: number): Piece | undefined {
    if (until !== undefined) return partAt(page, at, until);
    const opens = page.indexOf('<', at);
    if (opens !== at) return pieceOf(page, at, opens < 0 ? page.length : opens);
    // A comment is recognized by its first four characters.
    if (page.length - at < 4) return undefined;
    const next = page[at + 1] ?? '';
    if ('!?/'.includes(next)) {
      until = page.startsWith('<!--', at) ? /-->/g : />/g;
      return pieceOf(page, at, at);
    }
    if (!/[a-z]/i.test(next)) return pieceOf(page, at, at + 1);
    const tag = startTagAt(page, at);
    if (tag === undefined) {
      if (page.length - at < MAX_TAG) return undefined;
      until = />/g;
      return pieceOf(page, at, at);
    }
    if (RAW.has(tag.name)) until = new RegExp(`(?=</${tag.name})`, 'gi');
    return { text: relinkedTag(page, at, tag, relink), end: tag.end };
  }

  function settle(page: string): string {
    let text = '';
    let at = 0;
    for (let piece; at < page.length && (piece = pieceAt(page, at)); at = piece.end) text += piece.text;
    held = page.slice(at);
    return text;
  }

  return {
    write: (more) => settle(held + more),
    end: () => held,
  };
}
