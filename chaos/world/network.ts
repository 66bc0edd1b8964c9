import { parseRequestInfo } from '../../apiserver/http/index.ts';
import type { RequestInfo } from '../../apiserver/request.ts';
import type { HttpHandler, HttpPeer } from '../../base/http/index.ts';
import {
  ClientError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  WholeBody,
  createInMemoryTransport,
  onAbort,
} from '../../runtime/index.ts';
import type { RequestFault } from './fault-kinds.ts';
import type { Faults } from './faults.ts';
import { type Answer, bodyOf, gone, refusalOf } from './answers.ts';
import type { Party, Serving } from './parties.ts';
import { interfere } from './interference.ts';
import { type RequestTraits, canStrike, placeOf, traitsOf } from './request-traits.ts';
import { type WatchStream, createWatchStream } from './watch-stream.ts';
import type { Process, Timeline } from './timeline.ts';

/** The network between the simulated programs and the API server. */
export interface Network {
  transport(party: Party): Transport;
  /** The request that the server is processing; store changes are attributed to it. */
  readonly serving: Serving | undefined;
  /** Breaks the connections of a process until a time on the timeline. */
  partition(process: Process, untilMs: number): void;
  /** Breaks the open watches of one process, or those of all processes. */
  cut(process?: Process): void;
  /** Ends all delays, silent watches and partitions. */
  heal(): void;
}

export interface NetworkOptions {
  readonly timeline: Timeline;
  readonly faults: Faults;
  /** Returns the current server; undefined while it is down. */
  readonly server: () => RunningServer | undefined;
  /** Returns the newest revision and the oldest revision that the server still retains. */
  readonly revisions: () => { readonly newest: number; readonly oldest: number };
  /** Crashes the process and plans its restart. */
  readonly crash: (process: Process) => void;
  /** Connection of a user with all permissions. */
  readonly administrator: HttpPeer;
  /** True if the server sends bookmarks, which is optional for servers. */
  readonly bookmarks: boolean;
  /** Called when a request is sent to which faults can be applied. */
  readonly onRequest?: ((sent: Sent) => void) | undefined;
}

/** A sent request with its fault. */
export interface Sent {
  readonly process: Process;
  readonly actor: string;
  readonly verb: string;
  /** Resource such as `jobs` or `jobs/status`; the path of a non-resource request. */
  readonly target: string;
  readonly traits: RequestTraits;
  /** Cancellation signal that the caller passed to the client. */
  readonly caller: AbortSignal | undefined;
  readonly fault: RequestFault | undefined;
}

export interface RunningServer {
  readonly handler: HttpHandler;
  readonly process: Process;
}

interface Call {
  readonly party: Party;
  readonly request: TransportRequest;
  readonly info: RequestInfo;
  readonly labels: Labels;
  /** Time of sending on the timeline. */
  readonly sentMs: number;
  readonly settle: (answer: Answer | TransportResponse | ClientError) => void;
}

/** Names of a request and its stages on the tape and the timeline. */
interface Labels {
  /** Description of the request, such as `cronjob patch cronjobs/status team/a`. */
  readonly what: string;
  readonly request: string;
  readonly response: string;
  readonly serve: string;
  readonly answer: string;
}

const labelsOf = (what: string): Labels => ({
  what,
  request: `${what} request`,
  response: `${what} response`,
  serve: `serve ${what}`,
  answer: `answer ${what}`,
});

const targetOf = ({ resource, subresource, path, isResourceRequest }: RequestInfo): string =>
  isResourceRequest ? `${resource}${subresource && `/${subresource}`}` : path;

/** Returns the object of a request, such as ` team/a`; '' for a list of all namespaces and for other paths. */
const objectOf = ({ namespace, name, isResourceRequest }: RequestInfo): string => {
  if (!isResourceRequest || (namespace === '' && name === '')) return '';
  return namespace === '' ? ` ${name}` : ` ${namespace}/${name}`;
};

/**
 * Returns a description of a request by its sender and object, so that the nth equal request can be found in
 * a shorter run.
 */
const describe = (party: Party, info: RequestInfo): string =>
  `${party.actor} ${info.verb} ${targetOf(info)}${objectOf(info)}`;

const broken = (what: string): ClientError =>
  new ClientError('ERR_CONNECTION', `the connection broke (${what})`);

export const createNetwork = (options: NetworkOptions): Network => new SimulatedNetwork(options);

class SimulatedNetwork implements Network {
  readonly #options: NetworkOptions;
  readonly #streams = new Set<WatchStream>();
  readonly #partitions = new Map<Process, number>();
  /**
   * Cached labels: building a string is cheap, but the tape and the timeline look it up, and a new string
   * must be hashed first.
   */
  readonly #labels = new Map<string, Labels>();
  readonly #connections = new WeakMap<HttpHandler, Map<HttpPeer, Transport>>();
  serving: Serving | undefined;

  constructor(options: NetworkOptions) {
    this.#options = options;
  }

  transport(party: Party): Transport {
    return { send: (request) => this.#send(party, request), close: () => Promise.resolve() };
  }

  partition(process: Process, untilMs: number): void {
    this.#partitions.set(process, untilMs);
    for (const stream of this.#streams) if (stream.process === process) stream.hold(untilMs);
  }

  cut(process?: Process): void {
    for (const stream of this.#streams)
      if (process === undefined || stream.process === process) stream.break(broken('watch'));
  }

  heal(): void {
    this.#partitions.clear();
    for (const stream of this.#streams) stream.heal();
  }

  #send(party: Party, request: TransportRequest): Promise<TransportResponse> {
    const info = parseRequestInfo(request.method, request.path);
    const labels = this.#labelsOf(describe(party, info));
    return new Promise((resolve, reject) => {
      const { signal } = request;
      if (signal?.aborted) return reject(signal.reason as Error);
      if (signal !== undefined) onAbort(signal, () => reject(signal.reason as Error));
      const settle: Call['settle'] = (answer) => {
        if (answer instanceof ClientError) reject(answer);
        else resolve('text' in answer ? bodyOf(answer) : answer);
      };
      this.#post({ party, request, info, labels, sentMs: this.#options.timeline.nowMs, settle });
    });
  }

  #labelsOf(what: string): Labels {
    let labels = this.#labels.get(what);
    if (labels === undefined) this.#labels.set(what, (labels = labelsOf(what)));
    return labels;
  }

  /** Sends a request to the server, with its fault if one is injected. */
  #post(call: Call): void {
    const { faults, timeline } = this.#options;
    const { party, info, labels } = call;
    const { what } = labels;
    const fault = party.faulty ? this.#strike(call) : undefined;
    const delayMs = faults.delay(labels.request);
    const partitionedMs = (this.#partitions.get(party.process) ?? 0) - timeline.nowMs;
    if (partitionedMs > 0)
      return this.#answer(call, Math.min(partitionedMs, PARTITION_NOTICED_MS), broken(what));
    switch (fault) {
      case 'slow-request':
        return this.#carry(call, delayMs + faults.lasting(what, 100, 60_000));
      case 'slow-response':
        return this.#carry(call, delayMs, { lateMs: faults.lasting(what, 100, 60_000) });
      case 'refused':
        return this.#answer(call, delayMs, broken(what));
      case 'lost-response':
        return this.#carry(call, delayMs, { replace: broken(what) });
      case 'unanswered':
        return this.#carry(call, delayMs, { replace: null });
      case 'zombie':
        this.#carry(call, faults.lasting(what, 100, 60_000), { replace: null });
        return this.#options.crash(party.process);
      case 'crash-before':
        return this.#options.crash(party.process);
      case 'crash-after':
        return this.#carry(call, delayMs, { replace: null, crash: true });
      case 'conflict':
      case 'too-many-requests':
      case 'server-error':
      case 'unavailable':
        return this.#answer(call, delayMs, refusalOf(fault));
      case 'stale-list':
        return this.#carry({ ...call, request: this.#older(call) }, delayMs);
      case 'expired-page':
        return info.query.has('continue')
          ? this.#answer(call, delayMs, gone)
          : this.#carry({ ...call, request: withQuery(call.request, { limit: '1' }) }, delayMs);
      case 'touched':
      case 'recreated':
        return this.#carry(call, delayMs, { before: fault });
      case undefined:
        return this.#carry(call, delayMs);
    }
  }

  #strike({ party: { process, actor }, request: { caller }, info, labels }: Call): RequestFault | undefined {
    const { faults, onRequest } = this.#options;
    const traits = traitsOf(info);
    const fault = faults.strike<RequestFault>(
      'request',
      labels.what,
      (name) => canStrike(traits, name),
      placeOf(traits),
    );
    if (faults.active)
      onRequest?.({ process, actor, verb: info.verb, target: targetOf(info), traits, caller, fault });
    return fault;
  }

  /** Returns the request with an older exact revision, which the server still retains. */
  #older({ request, labels }: Call): TransportRequest {
    const { newest, oldest } = this.#options.revisions();
    const back = Math.round(this.#options.faults.lasting(labels.what, 1, 64));
    const revision = Math.max(oldest, newest - back);
    return revision <= 0
      ? request
      : withQuery(request, { resourceVersion: String(revision), resourceVersionMatch: 'Exact' });
  }

  /** Delivers a request to the server after a delay in milliseconds. */
  #carry(call: Call, delayMs: number, end: End = {}): void {
    this.#options.timeline.plan(delayMs, call.labels.serve, () => void this.#serve(call, end));
  }

  async #serve(call: Call, end: End): Promise<void> {
    const server = this.#options.server();
    if (server === undefined)
      return this.#answer(call, 0, end.replace === undefined ? broken(call.labels.what) : end.replace);
    const { party, info, request, labels, sentMs } = call;
    const transport = this.#connection(server, party.peer);
    if (end.before !== undefined)
      await interfere(end.before, call.request, server.handler, this.#options.administrator, (serving) => {
        this.serving = serving && {
          ...serving,
          sentMs,
          abandoned: false,
          party: { ...party, actor: 'user' },
        };
      });
    const serving: Serving = {
      party,
      info,
      sentMs,
      abandoned: !party.process.alive || request.signal?.aborted === true,
      ...(request.body !== undefined && { body: request.body }),
    };
    this.serving = serving;
    // The server still executes a cancelled request; a cancelled watch ends.
    const leaving = info.verb === 'watch' ? new AbortController() : undefined;
    const { signal, ...sent } = this.#asServed(request, info);
    if (leaving && signal !== undefined) onAbort(signal, () => leaving.abort(signal.reason));
    const response = await transport.send(leaving ? { ...sent, signal: leaving.signal } : sent);
    if (leaving && response.status === 200) return this.#open(call, response, leaving);
    const text = await textOf(response);
    if (this.serving === serving) this.serving = undefined;
    // A server that crashed while it processed the request sends no response.
    if (!server.process.alive) return this.#answer(call, 0, broken(labels.what));
    const late = this.#options.faults.delay(labels.response) + (end.lateMs ?? 0);
    this.#answer(
      call,
      late,
      end.replace === undefined ? { status: response.status, headers: response.headers, text } : end.replace,
    );
    if (end.crash === true) this.#options.crash(party.process);
  }

  /**
   * Returns the open connection of a client to a server, or opens one. Each response carries the time of the
   * server's machine, as the listener's do.
   */
  #connection({ handler, process }: RunningServer, peer: HttpPeer): Transport {
    let open = this.#connections.get(handler);
    if (open === undefined) this.#connections.set(handler, (open = new Map()));
    const connection = open.get(peer) ?? createInMemoryTransport({ handler, peer, clock: process.clock });
    open.set(peer, connection);
    return connection;
  }

  #asServed(request: TransportRequest, { verb }: RequestInfo): TransportRequest {
    return verb === 'watch' && !this.#options.bookmarks
      ? withQuery(request, { allowWatchBookmarks: 'false' })
      : request;
  }

  /** Delivers a response to the sender after a delay; null for no response. */
  #answer(call: Call, delayMs: number, answer: Answer | TransportResponse | ClientError | null): void {
    if (answer === null) return;
    const { timeline } = this.#options;
    timeline.plan(delayMs, call.labels.answer, () => call.settle(answer), call.party.process);
  }

  #open(call: Call, response: TransportResponse, leaving: AbortController): void {
    const { timeline, faults } = this.#options;
    const { party } = call;
    this.serving = undefined;
    const stream = createWatchStream({
      process: party.process,
      what: `${party.process.name} ${call.info.resource}`,
      faulty: party.faulty,
      source: response.body,
      lagMs: faults.lag(`${party.process.name} ${call.info.resource}`),
      timeline,
      faults,
      leave: (reason) => leaving.abort(reason),
      onEnd: () => void this.#streams.delete(stream),
    });
    this.#streams.add(stream);
    const partitionedUntilMs = this.#partitions.get(party.process) ?? 0;
    if (partitionedUntilMs > timeline.nowMs) stream.hold(partitionedUntilMs);
    const opened = { ...response, body: stream.body };
    this.#answer(call, faults.delay(call.labels.response), opened);
  }
}

/** Effects of a fault on a request after its arrival, and on its response. */
interface End {
  readonly lateMs?: number;
  /** Replacement of the response; null if no response is sent. */
  readonly replace?: ClientError | null;
  readonly crash?: boolean;
  readonly before?: 'touched' | 'recreated';
}

/** Delay in milliseconds until a process notices that it cannot connect. */
const PARTITION_NOTICED_MS = 1_000;

async function textOf({ body }: TransportResponse): Promise<Uint8Array> {
  if (body instanceof WholeBody) return body.bytes;
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

function withQuery(request: TransportRequest, set: Readonly<Record<string, string>>): TransportRequest {
  const [path = '', text = ''] = request.path.split('?', 2);
  const query = new URLSearchParams(text);
  for (const [name, value] of Object.entries(set)) query.set(name, value);
  return { ...request, path: `${path}?${query.toString()}` };
}
