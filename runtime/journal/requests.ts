import type { RequestObservation } from '../client/sender.ts';
import type { Transport } from '../client/transport.ts';
import type { Journal, JournalRequest } from './journal.ts';

/** What an effect's requests are made for. */
export interface Requester {
  readonly controller: string;
  readonly key: string;
  readonly passId: string;
  /** The effect's name. */
  readonly state: string;
}

const REQUESTER = Symbol('requester');

/** Written on the signal, for there is one for each effect: a weak map of all of them would be work for the collector. */
interface Attributed extends AbortSignal {
  [REQUESTER]?: Requester;
}

/** Says whose requests bear `signal`: that of one effect under way. */
export function attributeRequests(signal: Attributed, requester: Requester): void {
  signal[REQUESTER] = requester;
}

/** The effect whose requests bear `signal`. */
export const requesterOf = (signal: Attributed): Requester | undefined => signal[REQUESTER];

/** For a client's `observe`: journals requests that bear the signal of an effect. Others are nobody's pass. */
export const createRequestJournal =
  (journal: Journal) =>
  ({ method, path, code, ms, signal }: RequestObservation): void => {
    const requester = signal && requesterOf(signal);
    if (requester === undefined) return;
    const { controller, key, passId, state } = requester;
    const { verb, resource, object } = targetOf(method, path);
    const request = { verb, resource, object, code };
    journal.record({ kind: 'request', controller, key, passId, state, ms, request });
  };

/** `jobs.batch`; of the core group the resource alone. */
export const resourceName = (resource: string, group: string): string =>
  group === '' ? resource : `${resource}.${group}`;

/**
 * Says in the user agent which controller a request is made for, as the controller managers of clusters do:
 * `orch-controller-manager/0.1.0/cronjob`. Requests that are nobody's pass go as they are.
 */
export const namingRequesters = (transport: Transport): Transport => ({
  send(request) {
    const { caller, headers } = request;
    const controller = caller && requesterOf(caller)?.controller;
    if (controller === undefined) return transport.send(request);
    const agent = `${headers['user-agent'] ?? ''}/${controller}`;
    return transport.send({ ...request, headers: { ...headers, 'user-agent': agent } });
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

/** Reads a client's own paths (specification 1, section 4.1), whose segments are neither empty nor `watch`. */
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
