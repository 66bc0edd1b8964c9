import {
  ClientError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  onAbort,
} from '../../runtime/index.ts';

/**
 * Fault of one request.
 * - `refused`: the request never reaches the server.
 * - `unanswered`: the server executes the request, and the response is lost.
 * - `hanging`: the request never ends.
 * - `Refusal`: an error response replaces the response.
 * - `Past`: a list returns stale state.
 * - a promise delays the request until the promise settles
 */
export type Fault = 'refused' | 'unanswered' | 'hanging' | Promise<unknown> | Refusal | Past;

/** Version at which a list is read. */
export interface Past {
  readonly asOf: string;
}

export interface Refusal {
  readonly status: number;
  readonly reason: string;
  /** Message of the error response; default its reason. */
  readonly message?: string;
}

/** Returns the fault of a request; undefined if there is none. */
export type FaultRule = (request: TransportRequest) => Fault | undefined;

export interface Faults {
  /** Adds a rule. The first rule that returns a fault decides. Returns a function that removes the rule. */
  add(rule: FaultRule): () => void;
  /** Descriptions of all requests, in the order in which they were sent. */
  readonly seen: readonly string[];
}

export interface FaultyTransport extends Transport {
  readonly faults: Faults;
  /** Cuts the connection: no further request or response arrives. */
  cut(): void;
}

const never = (signal: TransportRequest['signal']): Promise<never> =>
  new Promise((_, reject) => {
    if (signal !== undefined) onAbort(signal, () => reject(signal.reason as Error));
  });

const listedAsOf = (request: TransportRequest, { asOf }: Past): TransportRequest => ({
  ...request,
  path: `${request.path}${request.path.includes('?') ? '&' : '?'}resourceVersion=${asOf}&resourceVersionMatch=Exact`,
});

/** Creates a transport with faults. `inFlight` counts the requests that the server is processing. */
export function createFaultyTransport(inner: Transport, inFlight: { count: number }): FaultyTransport {
  const rules = new Set<FaultRule>();
  const seen: string[] = [];
  let isCut = false;

  const counted = async (request: TransportRequest): Promise<TransportResponse> => {
    inFlight.count++;
    try {
      return await inner.send(request);
    } finally {
      inFlight.count--;
    }
  };
  const faultOf = (request: TransportRequest): Fault | undefined => {
    for (const rule of rules) {
      const fault = rule(request);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
  return {
    faults: {
      add(rule) {
        rules.add(rule);
        return () => void rules.delete(rule);
      },
      seen,
    },
    cut() {
      isCut = true;
    },
    async send(request) {
      if (isCut) return never(request.signal);
      seen.push(`${request.method} ${request.path}`);
      const fault = faultOf(request);
      if (fault === undefined || fault instanceof Promise) {
        await fault;
        if (isCut) return never(request.signal);
        const answer = await counted(request);
        return isCut ? never(request.signal) : answer;
      }
      if (fault === 'hanging') return never(request.signal);
      if (typeof fault === 'object' && 'asOf' in fault) return counted(listedAsOf(request, fault));
      if (fault === 'unanswered') await counted(request);
      if (typeof fault === 'string') throw new ClientError('ERR_CONNECTION', 'the connection broke');
      return refusal(fault);
    },
    close: () => inner.close(),
  };
}

function refusal({ status, reason, message = reason }: Refusal): TransportResponse {
  const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message, code: status };
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: (async function* () {
      yield new TextEncoder().encode(JSON.stringify(body));
    })(),
  };
}
