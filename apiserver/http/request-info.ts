import { FieldSelectorError, parseFieldSelector } from '../../api/selectors/fields.ts';
import { isPathSegment } from '../../api/validation/names.ts';
import type { RequestInfo } from '../request.ts';

const VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** Subresources of a namespace; any other word in that place is a resource inside the namespace. */
const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize']);
/** Words after the version that stand for a verb in old paths: `/api/v1/watch/pods`. */
const PREFIX_VERBS = new Set(['watch', 'proxy']);

const NO_QUERY = new URLSearchParams();

/** A path that cannot be read at all: broken percent-encoding, or `/api/v1/watch` without a resource. */
export class MalformedPath extends Error {}

/**
 * Reads what a request asks for off its request line (specification 1, sections 4.1, 4.2 and 5.10 item 4; upstream's
 * RequestInfoFactory). Percent-encoded segments are decoded after splitting, so `%2F` never makes a segment.
 * A list or watch whose field selector demands `metadata.name=x` bears the name x.
 * Throws `MalformedPath`.
 */
export function parseRequestInfo(method: string, url: string): RequestInfo {
  const mark = url.indexOf('?');
  const path = decodePath(mark < 0 ? url : url.slice(0, mark));
  const query = mark < 0 ? NO_QUERY : new URLSearchParams(url.slice(mark + 1));
  const parts = segmentsOf(mark < 0 ? url : url.slice(0, mark));
  const grouped = parts[0] === 'apis';
  if ((!grouped && parts[0] !== 'api') || parts.length < (grouped ? 4 : 3))
    return nonResource(method, path, query);
  const group = grouped ? (parts[1] ?? '') : '';
  const version = parts[grouped ? 2 : 1] ?? '';
  let at = grouped ? 3 : 2;
  let verb = VERBS[method] ?? '';
  const prefix = parts[at] ?? '';
  const prefixed = PREFIX_VERBS.has(prefix);
  if (prefixed) {
    verb = prefix;
    at += 1;
    if (at >= parts.length)
      throw new MalformedPath(`unable to determine kind and namespace from url, ${path}`);
  }
  let namespace = '';
  if (parts[at] === 'namespaces' && at + 1 < parts.length) {
    namespace = parts[at + 1] ?? '';
    if (at + 2 < parts.length && !NAMESPACE_SUBRESOURCES.has(parts[at + 2] ?? '')) at += 2;
  }
  const subresource = prefixed ? '' : (parts[at + 2] ?? '');
  let name = parts[at + 1] ?? '';
  if (name === '' && verb === 'get') {
    verb = isTrue(query.get('watch')) ? 'watch' : 'list';
    name = selectedName(query.get('fieldSelector'));
  } else if (name === '' && verb === 'delete') verb = 'deletecollection';
  return {
    isResourceRequest: true,
    path,
    httpMethod: method,
    verb,
    group,
    version,
    resource: parts[at] ?? '',
    subresource,
    namespace,
    name,
    query,
  };
}

const nonResource = (method: string, path: string, query: URLSearchParams): RequestInfo => ({
  isResourceRequest: false,
  path,
  httpMethod: method,
  verb: method.toLowerCase(),
  group: '',
  version: '',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
  query,
});

/** Slashes at the ends do not count, those in between do; empty segments stay. */
function segmentsOf(path: string): string[] {
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
  return path.includes('%') ? parts.map(decodePath) : parts;
}

function decodePath(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new MalformedPath('invalid URL escape in the path');
  }
}

/** How upstream reads a boolean parameter: present and neither `false` nor `0`. */
export const isTrue = (value: string | null): boolean =>
  value !== null && value !== '0' && value.toLowerCase() !== 'false';

/** The one name that a list or a watch can show; '' where there is none, or a selector that cannot be read. */
function selectedName(selector: string | null): string {
  if (selector === null || selector === '') return '';
  try {
    const name = parseFieldSelector(selector).requiredValue('metadata.name') ?? '';
    return isPathSegment(name).length === 0 ? name : '';
  } catch (thrown) {
    if (thrown instanceof FieldSelectorError) return '';
    throw thrown;
  }
}
