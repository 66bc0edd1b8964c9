import type { Strikes } from '../plan/strikes.ts';
import { type WireFault, wireFaults } from '../plan/wire-faults.ts';

/** What is done to processes, by the names of the simulated world where it has them. */
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
export type LiveFault = ProcessFault | WireFault;

export const isProcessFault = (name: LiveFault): name is ProcessFault =>
  processFaults.some((each) => each === name);

/** Those of a connection: what lasts for as long as it does would outlast a short run. */
const LASTING: ReadonlySet<string> = new Set(['unanswered']);
export const liveFaults: readonly LiveFault[] = [
  ...processFaults,
  ...(Object.keys(wireFaults) as readonly WireFault[]).filter((name) => !LASTING.has(name)),
];

/** How often a fault of a connection strikes where it can. */
const ODDS = { request: 0.02, event: 0.01 };
/** How long one lasts at most. */
const LONGEST = '5s';

/** The plan of a proxy that lets the faults of connections among `faults` strike. */
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

/** Strikes that can be held back. */
export interface HeldStrikes extends Strikes {
  /** Whether they strike; default not. */
  active: boolean;
}

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
