/** Error for a request path that is invalid or ambiguous. */
export class MalformedPath extends Error {}

/** Path and query of a request line. */
export interface RequestTarget {
  /** Decoded path. It must not be decoded or normalized a second time. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/** Segments of a request path. */
export interface PathSegments {
  /** Decoded segments in order. Slashes at both ends are ignored; empty segments in between are retained. */
  readonly segments: readonly string[];
  /**
   * True if a decoded segment contains a slash or backslash, which other servers may treat as a separator.
   */
  readonly hasHiddenSeparator: boolean;
}

const NO_QUERY = new URLSearchParams();

/**
 * Characters that require decoding or validation of a path: escapes, other separators, fragments, control
 * characters and dot segments.
 */
// eslint-disable-next-line no-control-regex -- matches control characters on purpose
const UNUSUAL = /[%\\#\u0000-\u001f\u007f]|\/\.\.?(?:[/;]|$)/;
/**
 * Dot segment, possibly with matrix parameters. Servers that drop these parameters (RFC 3986, section 3.3)
 * resolve `..;a=b` as `..`.
 */
const DOT_SEGMENT = /(?:^|[/\\])\.\.?(?:[/\\;]|$)/;
// eslint-disable-next-line no-control-regex -- matches control characters on purpose
const CONTROL = /[\u0000-\u001f\u007f]/;
const SEPARATOR = /[/\\]/;

/** Splits a request target at the first question mark. */
export function splitTarget(url: string): { readonly rawPath: string; readonly query: URLSearchParams } {
  const mark = url.indexOf('?');
  return mark < 0
    ? { rawPath: url, query: NO_QUERY }
    : { rawPath: url.slice(0, mark), query: new URLSearchParams(url.slice(mark + 1)) };
}

/**
 * Parses a path for authorization and for its handler, so that both use the same path. Rejects dot segments
 * (`..`, `%2e%2e`), control characters, fragments and invalid escapes, as another server may resolve or drop
 * them. Throws `MalformedPath`.
 */
export function readSegments(rawPath: string): PathSegments {
  if (!rawPath.startsWith('/') && rawPath !== '*')
    throw new MalformedPath('the path must begin with a slash');
  const raw = splitPath(rawPath);
  if (!UNUSUAL.test(rawPath)) return { segments: raw, hasHiddenSeparator: false };
  if (rawPath.includes('#')) throw new MalformedPath('the path must not have a fragment');
  const segments = raw.map(decodeSegment);
  for (const segment of segments) {
    if (DOT_SEGMENT.test(segment)) throw new MalformedPath(dotRefusal(segments.at(-1) ?? ''));
    if (CONTROL.test(segment)) throw new MalformedPath('the path must not have control characters');
  }
  return { segments, hasHiddenSeparator: segments.some((segment) => SEPARATOR.test(segment)) };
}

/** Returns the message for a path with dot segments. It is upstream's message if the last segment is one. */
const dotRefusal = (last: string): string =>
  last === '.' || last === '..'
    ? `Name parameter invalid: "${last}": may not be '${last}'`
    : 'the path must not have dot segments, which can be read in more than one way';

/**
 * Parses the path of a document or endpoint. Throws `MalformedPath` if the path is invalid or a segment
 * contains a separator.
 */
export function readTarget(url: string): RequestTarget {
  const { rawPath, query } = splitTarget(url);
  requirePlain(readSegments(rawPath));
  return { path: decodePath(rawPath), query };
}

/** Empty segments and matrix parameters, which another server may drop. */
const AMBIGUOUS = /\/\/|;/;

/**
 * Throws `MalformedPath` for a path that another server may interpret as a different path. The part after
 * `/proxy/` is not checked, as that server forwards it to a third one.
 */
export function requireUnambiguous(rawPath: string): void {
  const [head = ''] = rawPath.split('/proxy/', 1);
  if (AMBIGUOUS.test(head))
    throw new MalformedPath(
      'the path must not have empty segments or semicolons, which the API service may drop; write a semicolon as %3B',
    );
}

/** Throws `MalformedPath` if a segment contains a separator. */
export function requirePlain({ hasHiddenSeparator }: PathSegments): void {
  if (hasHiddenSeparator)
    throw new MalformedPath(
      'the path must not have escaped slashes or backslashes, which some readers treat as separators',
    );
}

/** Decodes a path that `readSegments` has accepted. */
export const decodePath = (rawPath: string): string =>
  rawPath.includes('%') ? decodeURIComponent(rawPath) : rawPath;

function splitPath(path: string): string[] {
  let from = 0;
  let to = path.length;
  while (from < to && path.charCodeAt(from) === 47) from += 1;
  while (to > from && path.charCodeAt(to - 1) === 47) to -= 1;
  const parts: string[] = [];
  for (let slash = path.indexOf('/', from); slash >= 0 && slash < to; slash = path.indexOf('/', from)) {
    parts.push(path.slice(from, slash));
    from = slash + 1;
  }
  parts.push(path.slice(from, to));
  return parts;
}

function decodeSegment(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new MalformedPath('invalid URL escape in the path');
  }
}
