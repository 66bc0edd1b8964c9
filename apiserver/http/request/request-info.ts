import { FieldSelectorError, parseFieldSelector } from '../../../api/selectors/index.ts';
import { isPathSegment } from '../../../api/validation/index.ts';
import {
  MalformedPath,
  type PathSegments,
  decodePath,
  readSegments,
  requirePlain,
  splitTarget,
} from '../../../base/http/index.ts';
import type { RequestInfo } from '../../request.ts';

const VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/**
 * Subresources of a namespace. Any other segment after the namespace's name is a resource inside the
 * namespace.
 */
const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize']);
/** Segments after the version that denote a verb in legacy paths: `/api/v1/watch/pods`. */
const PREFIX_VERBS = new Set(['watch', 'proxy']);

/**
 * Parses method and URL as upstream's `RequestInfoFactory` does
 * (https://github.com/kubernetes/kubernetes/blob/v1.24.0/staging/src/k8s.io/apiserver/pkg/endpoints/request/requestinfo.go).
 * Percent-encoded segments are decoded after splitting. Escaped slashes are accepted only below `…/proxy/`:
 * that part of the path is forwarded and does not affect authorization. A list or watch whose field selector
 * requires `metadata.name=x` gets the name x. Throws `MalformedPath`.
 */
export function parseRequestInfo(method: string, url: string): RequestInfo {
  const { rawPath, query } = splitTarget(url);
  const read = readSegments(rawPath);
  const path = decodePath(rawPath);
  const parts = read.segments;
  const grouped = parts[0] === 'apis';
  if ((!grouped && parts[0] !== 'api') || parts.length < (grouped ? 4 : 3)) {
    requirePlain(read);
    return nonResource(method, path, query);
  }
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
  if (read.hasHiddenSeparator) requirePlainHead(read, subresource === 'proxy' ? at + 3 : parts.length);
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

/** Throws `MalformedPath` if one of the first `length` segments contains an escaped separator. */
function requirePlainHead({ segments }: PathSegments, length: number): void {
  const hasHiddenSeparator = segments.slice(0, length).some((segment) => /[/\\]/.test(segment));
  requirePlain({ segments, hasHiddenSeparator });
}

/** True if a boolean parameter is present and neither `false` nor `0`, as upstream parses it. */
export const isTrue = (value: string | null): boolean =>
  value !== null && value !== '0' && value.toLowerCase() !== 'false';

/**
 * Returns the name to which a field selector restricts a list or watch, or '' if it requires no name or is
 * invalid.
 */
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
