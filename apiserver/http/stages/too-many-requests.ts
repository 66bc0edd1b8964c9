import type { Count, Metrics } from '../../../base/metrics/index.ts';
import { type HttpResponse, textResponse } from '../../../base/http/index.ts';
import type { RequestKind } from '../../flowcontrol/usage.ts';
import type { RequestContext } from '../../request.ts';

/** Returns the class in which concurrency limits and metrics count a request. */
export function kindOfRequest({ info: { verb } }: RequestContext): RequestKind {
  return verb === 'get' || verb === 'list' || verb === 'watch' ? 'readOnly' : 'mutating';
}

/** Function that counts a request that exceeds the limits, and returns its rejection. */
export type TooManyRequests = (context: RequestContext) => HttpResponse;

/**
 * Creates the rejection: plain text instead of a `Status`, as upstream sends. Clients use the code and
 * `Retry-After`.
 */
export function createTooManyRequests(metrics: Metrics): TooManyRequests {
  const dropped = metrics.counter(
    'apiserver_dropped_requests_total',
    "Number of requests dropped with 'Try again later' response. Use apiserver_request_total and/or apiserver_request_terminations_total metrics instead.",
    ['request_kind'],
    { deprecated: '1.24' },
  );
  const terminated = metrics.counter(
    'apiserver_request_terminations_total',
    'Number of requests which apiserver terminated in self-defense.',
    ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component', 'code'],
  );
  const byKind: Readonly<Record<RequestKind, Count>> = {
    readOnly: dropped.at('readOnly'),
    mutating: dropped.at('mutating'),
  };
  return (context) => {
    byKind[kindOfRequest(context)].add(1);
    terminated.at(...placeOf(context), 'apiserver', '429').add(1);
    const rejection = textResponse(429, 'Too many requests, please try again later.\n');
    return { ...rejection, headers: { ...rejection.headers, 'retry-after': '1' } };
  };
}

/**
 * Returns the labels of a request. Unserved resources share empty labels: strings from a client must not
 * create label values.
 */
function placeOf({ info, kind }: RequestContext): readonly string[] {
  if (kind === undefined) return [VERBS.get(info.verb) ?? 'other', '', '', '', '', ''];
  const subresource = Object.hasOwn(kind.subresources, info.subresource) ? info.subresource : '';
  const inNamespace = info.namespace === '' ? 'cluster' : 'namespace';
  const scope = info.name === '' ? inNamespace : 'resource';
  return [VERBS.get(info.verb) ?? 'other', info.group, info.version, info.resource, subresource, scope];
}

const VERBS: ReadonlyMap<string, string> = new Map([
  ['get', 'GET'],
  ['list', 'LIST'],
  ['watch', 'WATCH'],
  ['create', 'POST'],
  ['update', 'PUT'],
  ['patch', 'PATCH'],
  ['delete', 'DELETE'],
  ['deletecollection', 'DELETECOLLECTION'],
]);
