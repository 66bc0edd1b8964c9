import type { RequestObservation } from '../client/sender.ts';
import type { Transport } from '../client/transport.ts';
import type { Journal } from './journal.ts';
import type { JournalRequest } from './entry.ts';

/** Effect that sends requests. */
export interface Requester {
  readonly controller: string;
  readonly key: string;
  readonly reconcileId: string;
  /** Name of the effect. */
  readonly state: string;
}

const REQUESTER = Symbol('requester');

/**
 * Signal that stores its effect as a property. A WeakMap of all signals would burden the garbage collector.
 */
interface Attributed extends AbortSignal {
  [REQUESTER]?: Requester;
}

/** Marks `signal` as the signal of a running effect. */
export function attributeRequests(signal: Attributed, requester: Requester): void {
  signal[REQUESTER] = requester;
}

/** Returns the effect to which `signal` belongs, or undefined. */
export const requesterOf = (signal: Attributed): Requester | undefined => signal[REQUESTER];

/**
 * Returns an `observe` function for clients that records the requests with the signal of an effect. Other
 * requests are ignored.
 */
export const createRequestJournal =
  (journal: Journal) =>
  ({ method, path, code, ms, signal }: RequestObservation): void => {
    const requester = signal && requesterOf(signal);
    if (requester === undefined) return;
    const { controller, key, reconcileId, state } = requester;
    const { verb, resource, object } = targetOf(method, path);
    const request = { verb, resource, object, code };
    journal.record({ kind: 'request', controller, key, reconcileId, state, ms, request });
  };

/** Returns a resource with its group, such as `jobs.batch`. Returns only the resource for the core group. */
export const resourceName = (resource: string, group: string): string =>
  group === '' ? resource : `${resource}.${group}`;

/**
 * Wraps a transport. Appends the controller's name to the user agent of each request of an effect, as
 * kube-controller-manager does: `orch-controller-manager/0.1.0/cronjob`. Other requests are unchanged.
 * @param traceparentOf returns the `traceparent` header of an effect's requests; by default there is none
 */
export const namingRequesters = (
  transport: Transport,
  traceparentOf?: (requester: Requester) => string,
): Transport => ({
  send(request) {
    const { caller, headers } = request;
    const requester = caller && requesterOf(caller);
    if (requester === undefined) return transport.send(request);
    const agent = `${headers['user-agent'] ?? ''}/${requester.controller}`;
    const traced = traceparentOf === undefined ? {} : { traceparent: traceparentOf(requester) };
    return transport.send({ ...request, headers: { ...headers, 'user-agent': agent, ...traced } });
  },
  close: () => transport.close(),
});

const VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
  GET: 'get',
};

/**
 * Parses a path built by a client, in which no segment is empty or `watch`. See
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris.
 */
export function targetOf(method: string, path: string): Omit<JournalRequest, 'code'> {
  const segments = path.slice(1).split('/');
  const [root = '', ...parts] = path.includes('%') ? segments.map(decodeURIComponent) : segments;
  const grouped = root === 'apis';
  const group = grouped ? (parts.shift() ?? '') : '';
  parts.shift();
  const namespaced = parts[0] === 'namespaces' && parts.length > 2;
  const namespace = namespaced ? parts.splice(0, 2)[1] : undefined;
  const [resource, name, subresource] = parts;
  if ((!grouped && root !== 'api') || resource === undefined)
    return { verb: method.toLowerCase(), resource: path, object: '' };
  const place = namespace === undefined ? '' : `${namespace}/`;
  return {
    verb: verbOf(method, name),
    resource: resourceName(resource, group) + (subresource === undefined ? '' : `/${subresource}`),
    object: place + (name ?? ''),
  };
}

function verbOf(method: string, name: string | undefined): string {
  if (name === undefined && method === 'GET') return 'list';
  if (name === undefined && method === 'DELETE') return 'deletecollection';
  return VERBS[method] ?? method.toLowerCase();
}
