import { createHash } from 'node:crypto';
import { type ForeignSwagger, foreignPart } from '../../api/openapi/index.ts';
import { parseJsonLoose } from '../../api/schema/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { Clock } from '../../base/clock/index.ts';
import {
  type Outbound,
  OutboundError,
  type OutboundPeer,
  type OutboundRequest,
  type OutboundResponse,
  firstHeader,
  readOutbound,
} from '../../base/http/index.ts';
import type { Live } from '../../base/lifetime/index.ts';
import { MASTERS } from '../auth/groups.ts';
import type { DiscoveredResource } from '../discovery/external.ts';
import { TIMED_OUT, outboundReason } from '../outbound/reason.ts';
import type { ServiceResolver } from '../outbound/service-resolver.ts';
import { identityHeaders } from '../outbound/proxy-headers.ts';
import { type ProxyCredential, peerOf } from './remote-peer.ts';
import type { RemoteService } from './remote-services.ts';

/** Discovery and OpenAPI data of one group version of another server. */
export interface RemoteDocument {
  readonly resources: readonly DiscoveredResource[];
  /** Path of the OpenAPI v3 document; undefined if there is none. */
  readonly openApiPath: string | undefined;
  /** The part of the OpenAPI v2 document that describes this group version. */
  readonly swagger: ForeignSwagger | undefined;
}

/** Components and options of `createDiscoveryRequest`. */
export interface DiscoveryRequestOptions {
  readonly outbound: Outbound;
  readonly resolve: ServiceResolver;
  readonly credential: Live<ProxyCredential> | undefined;
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
}

interface Answer extends Pick<OutboundResponse, 'status' | 'headers'> {
  readonly bytes: Buffer;
}

/** Timeout of a request in milliseconds, from its start to the last byte of the response. */
const TIMEOUT_MS = 5_000;
const DOCUMENT_LIMIT_BYTES = 8 * 1024 * 1024;
/**
 * Number of parallel retries after a failure. Each retry selects an endpoint at random, so that one dead
 * endpoint does not make the service unavailable.
 */
const RETRIES = 4;

/**
 * Function that requests discovery from a server, as the aggregator's own user. `before` is the previous
 * result. Rejects with upstream's message for the failure.
 */
export type DiscoveryRequest = (
  remote: RemoteService,
  before: RemoteDocument | undefined,
  signal: AbortSignal,
) => Promise<RemoteDocument>;

/** Creates the function that requests discovery documents. */
export function createDiscoveryRequest(options: DiscoveryRequestOptions): DiscoveryRequest {
  const visit = createVisits(options);
  const attempt: DiscoveryRequest = async (remote, before, signal) => {
    const visited = visit(remote, signal);
    return {
      resources: await resourcesAt(visited),
      openApiPath: await openApiPathAt(visited),
      swagger: await swaggerAt(visited, before?.swagger),
    };
  };
  return async (remote, before, signal) => {
    try {
      return await attempt(remote, before, signal);
    } catch (first) {
      if (signal.aborted) throw first;
      const tries = Array.from({ length: RETRIES }, () => attempt(remote, before, signal));
      return await Promise.any(tries).catch(() => {
        throw first;
      });
    }
  };
}

/** Access to the documents of one group version on one server. */
interface Visit {
  /** Path of the group version: `apis/GROUP/VERSION`. */
  readonly path: string;
  readonly origin: string;
  readonly signal: AbortSignal;
  get(path: string, further?: Readonly<Record<string, string>>): Promise<Answer>;
}

/**
 * Returns a function that resolves a server's address. The function throws upstream's message if the server
 * has no endpoint.
 */
function createVisits(
  options: DiscoveryRequestOptions,
): (remote: RemoteService, signal: AbortSignal) => Visit {
  const { resolve, credential, vocabulary } = options;
  const headers = {
    accept: 'application/json',
    ...identityHeaders({ username: vocabulary.component('aggregator'), groups: [MASTERS] }),
  };
  return (remote, signal) => {
    const peer = peerOf(remote, resolve, credential);
    if ('rejection' in peer) throw new Error(peer.rejection);
    return {
      path: pathOf(remote),
      origin: peer.origin,
      signal,
      get: (path, further) => get(options, peer, { path, headers: { ...headers, ...further }, signal }),
    };
  };
}

async function get(
  { outbound, clock }: DiscoveryRequestOptions,
  peer: OutboundPeer,
  requested: Pick<OutboundRequest, 'path' | 'headers'> & { readonly signal: AbortSignal },
): Promise<Answer> {
  const limit = new AbortController();
  const timer = clock.setTimeout(() => limit.abort(LATE), TIMEOUT_MS);
  try {
    const response = await outbound.send(peer, {
      ...requested,
      method: 'GET',
      signal: AbortSignal.any([requested.signal, limit.signal]),
      headersTimeoutMs: TIMEOUT_MS,
    });
    const { status, headers } = response;
    return { status, headers, bytes: await readOutbound(response, DOCUMENT_LIMIT_BYTES) };
  } catch (thrown) {
    throw limit.signal.aborted ? LATE : thrown;
  } finally {
    clock.clearTimeout(timer);
  }
}

/** Requests the resource list. This is the only document whose failure makes a server unavailable. */
async function resourcesAt({ path, origin, signal, get }: Visit): Promise<readonly DiscoveredResource[]> {
  const url = `${origin}/${path}`;
  const failure = (reason: string): Error => new Error(`failing or missing response from ${url}: ${reason}`);
  const { status, bytes } = await get(`/${path}`).catch((thrown: unknown) => {
    if (signal.aborted) throw thrown;
    throw failure(`Get ${JSON.stringify(url)}: ${outboundReason(thrown, origin)}`);
  });
  if (status < 200 || status > 299) throw failure(`bad status from ${url}: ${status}`);
  return resourcesOf(parsed(bytes));
}

/**
 * Requests the OpenAPI v2 document. Returns undefined only after a 404; after any other failure, returns the
 * previous document.
 */
async function swaggerAt(
  { path, signal, get }: Visit,
  before: ForeignSwagger | undefined,
): Promise<ForeignSwagger | undefined> {
  try {
    const { status, headers, bytes } = await get('/openapi/v2', before && { 'if-none-match': before.etag });
    if (status === 404) return undefined;
    if (status !== 200) return before;
    const etag = firstHeader(headers, 'etag') ?? hashOf(bytes);
    if (etag === before?.etag) return before;
    const part = foreignPart(parseJsonLoose(bytes), `/${path}/`);
    return part && { etag, ...part };
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    return before;
  }
}

/**
 * Returns the path of the OpenAPI v3 document from the server's list of documents. Returns undefined on
 * failure, which does not make the server unavailable.
 */
async function openApiPathAt({ path, signal, get }: Visit): Promise<string | undefined> {
  try {
    const { bytes } = await get('/openapi/v3');
    const { paths } = record(parsed(bytes));
    const entry = record(Object.hasOwn(record(paths), path) ? record(paths)[path] : undefined);
    const url = entry['serverRelativeURL'];
    return typeof url === 'string' && url.startsWith(`/openapi/v3/${path}`) ? url : undefined;
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    return undefined;
  }
}

const LATE = new OutboundError('ERR_OUTBOUND_TIMEOUT', TIMED_OUT);

/** Returns an entity tag for a document that the server sent without one. */
const hashOf = (bytes: Buffer): string => `"${createHash('sha256').update(bytes).digest('hex')}"`;

const pathOf = ({ group, version }: RemoteService): string =>
  group === '' ? `api/${version}` : `apis/${group}/${version}`;

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns the resources of an untrusted list, without malformed entries. */
function resourcesOf(list: unknown): readonly DiscoveredResource[] {
  const { resources } = record(list);
  if (!Array.isArray(resources)) return [];
  return resources.map(record).flatMap((given) => {
    const name = textOf(given['name']);
    const [group, version] = [textOf(given['group']), textOf(given['version'])];
    const [shortNames, categories] = [textsOf(given['shortNames']), textsOf(given['categories'])];
    if (name === '') return [];
    return [
      {
        name,
        singularName: textOf(given['singularName']),
        namespaced: given['namespaced'] === true,
        kind: textOf(given['kind']),
        verbs: textsOf(given['verbs']),
        ...(version === '' ? {} : { group, version }),
        ...(shortNames.length === 0 ? {} : { shortNames }),
        ...(categories.length === 0 ? {} : { categories }),
      },
    ];
  });
}
