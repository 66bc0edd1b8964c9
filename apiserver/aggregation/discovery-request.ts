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

/** What a server says about one of its group versions. */
export interface RemoteDocument {
  readonly resources: readonly DiscoveredResource[];
  /** Of the OpenAPI document, version 3; undefined where it has none. */
  readonly openApiPath: string | undefined;
  /** Of version 2, what it says of this group version. */
  readonly swagger: ForeignSwagger | undefined;
}

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

/** From the request to the last byte of the answer. */
const TIMEOUT_MS = 5_000;
const DOCUMENT_LIMIT_BYTES = 8 * 1024 * 1024;
/** Each goes to an endpoint drawn anew: one that is dead must not speak for all. */
const FURTHER_TRIES = 4;

/**
 * Asks a server what it serves, as the aggregator itself; `before` is what it said last. Rejects with upstream's words
 * for what is wrong.
 */
export type DiscoveryRequest = (
  remote: RemoteService,
  before: RemoteDocument | undefined,
  signal: AbortSignal,
) => Promise<RemoteDocument>;

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
      const tries = Array.from({ length: FURTHER_TRIES }, () => attempt(remote, before, signal));
      return await Promise.any(tries).catch(() => {
        throw first;
      });
    }
  };
}

/** One server, asked for one document after the other about one of its group versions. */
interface Visit {
  /** Of the group version: `apis/GROUP/VERSION`. */
  readonly path: string;
  readonly origin: string;
  readonly signal: AbortSignal;
  get(path: string, further?: Readonly<Record<string, string>>): Promise<Answer>;
}

/** Throws for a server that cannot be reached, with upstream's words for why not. */
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
    if ('refusal' in peer) throw new Error(peer.refusal);
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
  asked: Pick<OutboundRequest, 'path' | 'headers'> & { readonly signal: AbortSignal },
): Promise<Answer> {
  const limit = new AbortController();
  const timer = clock.setTimeout(() => limit.abort(LATE), TIMEOUT_MS);
  try {
    const response = await outbound.send(peer, {
      ...asked,
      method: 'GET',
      signal: AbortSignal.any([asked.signal, limit.signal]),
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

/** The one document without which a server counts as unavailable. */
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

/** Once the server says that it has no such document there is none; a failure leaves it at what was known. */
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

/** Read from the server's own list of such documents, and never a reason to call it unavailable. */
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

/** In the place of the tag that a server does not give. */
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

/** The resources a stranger's list names; what is no resource is passed over. */
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
