import type { EventFault, RequestFault } from '../world/fault-kinds.ts';

/** Faults inside the sender, which a connection cannot produce. */
type InsideFault = 'crash-before' | 'crash-after' | 'touched' | 'recreated';

/** Faults of the simulated world that can be injected into connections between real programs. */
export type WireFault = Exclude<RequestFault, InsideFault> | EventFault;

/** Parameters of a fault besides its name. */
export type FaultDetail = 'lasts' | 'retryAfter' | 'code' | 'revisions' | 'age';

/** Where a fault is possible, and its parameters. */
export interface WireFaultKind {
  /** Verbs of the requests that it can affect; default all. */
  readonly verbs?: readonly string[];
  /** True if the fault affects events of a watch instead of its request. */
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
  'stale-list': request(['revisions', 'age'], ['get', 'list']),
  'expired-page': request([], ['list']),
  'late-events': event(['lasts']),
  'repeated-event': event(['lasts']),
  'cut-watch': event(),
  'ended-watch': event(),
  'silent-watch': event(['lasts']),
  'expired-watch': event(['lasts']),
};

export const isWireFault = (name: string): name is WireFault => Object.hasOwn(wireFaults, name);

/** Default durations in milliseconds; without one, the fault lasts until the connection ends. */
export const usualLasts: Partial<Record<WireFault, readonly [number, number]>> = {
  'slow-request': [100, 10_000],
  'slow-response': [100, 10_000],
  zombie: [100, 10_000],
  'late-events': [100, 60_000],
  'repeated-event': [1, 10_000],
  'expired-watch': [100, 60_000],
};
