import type { Strikes } from '../plan/strikes.ts';
import { type WireFault, wireFaults } from '../plan/wire-faults.ts';

/** Faults of processes. Faults of the simulated world have the same name here. */
const processFaults = [
  'crash',
  'restart-storm',
  'pause',
  'clock-forward',
  'clock-back',
  'partition',
  'api-restart',
  'api-pause',
  'redis-restart',
  'redis-flush',
  'etcd-restart',
  'etcd-pause',
] as const;

export type ProcessFault = (typeof processFaults)[number];

/** Name of a fault of a live run: a fault of a process or of a connection. */
export type LiveFault = ProcessFault | WireFault;

/** True if the fault affects a whole process. */
export const isProcessFault = (name: LiveFault): name is ProcessFault =>
  processFaults.some((each) => each === name);

/** Faults that last as long as their connection. They would outlast a short run. */
const LASTING: ReadonlySet<string> = new Set(['unanswered']);

/** Faults that a live run can inject, in the order in which they are listed. */
export const liveFaults: readonly LiveFault[] = [
  ...processFaults,
  ...(Object.keys(wireFaults) as readonly WireFault[]).filter((name) => !LASTING.has(name)),
];

/** Probability of a connection fault for each request and each watch event. */
const ODDS = { request: 0.02, event: 0.01 };
/** Maximum duration of a connection fault. */
const LONGEST = '5s';

/** Returns the proxy's fault plan with the connection faults in `faults`. */
export function connectionPlan(faults: readonly LiveFault[]): string {
  const named = Object.entries(wireFaults).filter(([name]) => faults.some((each) => each === name));
  return JSON.stringify({
    rules: named.map(([name, { events, details }]) => ({
      name,
      match: { probability: events ? ODDS.event : ODDS.request },
      fault: {
        name,
        ...(details.includes('lasts') && { lasts: ['100ms', LONGEST] }),
        ...(details.includes('age') && { age: '1m' }),
      },
    })),
  });
}

/** Fault decisions that can be switched on and off. */
export interface HeldStrikes extends Strikes {
  /** True while faults are injected; default false. */
  active: boolean;
}

/** Wraps the choice of faults so that none is injected until `active` is set. */
export function holdStrikes(strikes: Strikes): HeldStrikes {
  const held: HeldStrikes = {
    active: false,
    onRequest: (passing, reach) => (held.active ? strikes.onRequest(passing, reach) : undefined),
    onEvent: (watch, event) => (held.active ? strikes.onEvent(watch, event) : undefined),
    concernsEvents: (watch) => strikes.concernsEvents(watch),
    concernsStale: (passing) => strikes.concernsStale(passing),
  };
  return held;
}
