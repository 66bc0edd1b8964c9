import type { EventFault, ProcessFault, RequestFault } from '../world/fault-kinds.ts';

/** Faults inside the API server. They cannot be produced on a connection. */
type InsideFault = 'touched' | 'recreated';

/** Faults of the client's process. They require that the proxy started the client. */
export type ClientFault = 'crash-before' | 'crash-after' | Extract<ProcessFault, 'crash' | 'pause'>;

/** Faults of the simulated world that can be injected into connections between real programs. */
export type WireFault = Exclude<RequestFault, InsideFault> | EventFault | ClientFault;

/** Name of a parameter of a fault. */
export type FaultDetail = 'lasts' | 'retryAfter' | 'code' | 'revisions' | 'age' | 'oldest';

/** Where a fault is possible, and its parameters. */
export interface WireFaultKind {
  /** Verbs of the requests that the fault can affect; default all. */
  readonly verbs?: readonly string[];
  /** True if the fault affects events of a watch, false if it affects a request. */
  readonly events: boolean;
  readonly details: readonly FaultDetail[];
}

export const WRITES: ReadonlySet<string> = new Set([
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
]);
const CHANGES = ['update', 'patch', 'delete'];
const WATCH = ['watch'];

const request = (details: readonly FaultDetail[] = [], verbs?: readonly string[]): WireFaultKind => ({
  events: false,
  details,
  ...(verbs && { verbs }),
});
const event = (details: readonly FaultDetail[] = []): WireFaultKind => ({
  events: true,
  details,
  verbs: WATCH,
});

/** All faults that a plan can use, under the names of the simulated world. */
export const wireFaults: Readonly<Record<WireFault, WireFaultKind>> = {
  'slow-request': request(['lasts']),
  'slow-response': request(['lasts']),
  refused: request(),
  'lost-response': request([], [...WRITES]),
  unanswered: request(),
  zombie: request(['lasts'], [...WRITES]),
  conflict: request([], CHANGES),
  'too-many-requests': request(['retryAfter']),
  'server-error': request(['code']),
  unavailable: request(['retryAfter']),
  'stale-list': request(['revisions', 'age', 'oldest'], ['get', 'list']),
  'expired-page': request([], ['list']),
  'crash-before': request(['lasts']),
  'crash-after': request(['lasts']),
  'late-events': event(['lasts']),
  'repeated-event': event(['lasts']),
  'cut-watch': event(),
  'ended-watch': event(),
  'silent-watch': event(['lasts']),
  'expired-watch': event(['lasts']),
  crash: event(['lasts']),
  pause: event(['lasts']),
};

const CLIENT_FAULTS: ReadonlySet<WireFault> = new Set<ClientFault>([
  'crash-before',
  'crash-after',
  'crash',
  'pause',
]);

/** True if the fault kills or suspends the client's process. */
export const isClientFault = (fault: WireFault): fault is ClientFault => CLIENT_FAULTS.has(fault);

export const isWireFault = (name: string): name is WireFault => Object.hasOwn(wireFaults, name);

/** Default durations in milliseconds. A fault without a default lasts until the connection ends. */
export const usualLasts: Partial<Record<WireFault, readonly [number, number]>> = {
  'slow-request': [100, 10_000],
  'slow-response': [100, 10_000],
  zombie: [100, 10_000],
  'late-events': [100, 60_000],
  'repeated-event': [1, 10_000],
  'expired-watch': [100, 60_000],
  'crash-before': [1_000, 1_000],
  'crash-after': [1_000, 1_000],
  crash: [1_000, 1_000],
  pause: [5_000, 5_000],
};
