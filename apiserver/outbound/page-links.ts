/** Attributes that hold an address, by their elements (HTML 4, index of attributes; HTML, attributes). */
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

/** Elements in which nothing is a tag but their own end. */
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

/** Characters of a tag that is waited for; a longer one stays as it is: it holds an image rather than a link. */
const MAX_TAG = 8 * 1024;
/** Characters that the end of a comment or an element may have come with so far; none is longer. */
const MAX_END = 16;

const NAME = /[a-z][^\s/>]*/iy;
/** Name of an attribute, and its value where no quote begins it. */
const ATTRIBUTE = /[\s/]*([^\s/>][^\s/>=]*)(?:\s*=\s*(?:(?=["'])|([^\s>"'][^\s>]*)?))?/y;

interface StartTag {
  readonly name: string;
  /** Past the `>`. */
  readonly end: number;
  readonly attributes: readonly { readonly name: string; readonly from: number; readonly to: number }[];
}

/** The start tag at `at`; undefined where the page has not come to its end yet. */
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

/** The tag with its addresses changed, and nothing else. */
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

/** A part of the page with its addresses changed, and where it ends. */
interface Piece {
  readonly text: string;
  readonly end: number;
}

const pieceOf = (page: string, from: number, end: number): Piece => ({ text: page.slice(from, end), end });

export interface PageLinks {
  /** What is settled of the page with these further characters. */
  write(text: string): string;
  /** The rest of it. */
  end(): string;
}

/**
 * Changes the addresses in a page of HTML as it goes by; every other character stays. Characters may be bytes (Latin-1) where
 * the page is of an encoding with ASCII in it.
 */
export function createPageLinks(relink: (link: string) => string): PageLinks {
  let held = '';
  /** What ends the comment, the other markup or the element that the page is in. */
  let until: RegExp | undefined;

  /** What is settled of the part that `ending` ends; undefined while that is nothing. */
  function partAt(page: string, at: number, ending: RegExp): Piece | undefined {
    ending.lastIndex = at;
    if (ending.test(page)) {
      until = undefined;
      return pieceOf(page, at, ending.lastIndex);
    }
    // What ends it may have begun.
    const settled = page.length - MAX_END;
    return settled > at ? pieceOf(page, at, settled) : undefined;
  }

  /** The next piece of the page; undefined where more of it must come first. */
  function pieceAt(page: string, at: number): Piece | undefined {
    if (until !== undefined) return partAt(page, at, until);
    const opens = page.indexOf('<', at);
    if (opens !== at) return pieceOf(page, at, opens < 0 ? page.length : opens);
    // A comment shows by its fourth character.
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
