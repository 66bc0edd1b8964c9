import type { Strikes } from '../plan/strikes.ts';
import { type WireFault, wireFaults } from '../plan/wire-faults.ts';

/** What is done to processes, by the names of the simulated world where it has them. */
const processFaults = {
  crash: 'a controller manager is killed and started again',
  'restart-storm': 'a controller manager is killed three times in a row',
  pause: 'a controller manager stands still and goes on',
  'clock-forward': 'the wall clock of a controller manager is set forward',
  'clock-back': 'the wall clock of a controller manager is set back',
  partition: 'nothing passes between a controller manager and the API server',
  'api-restart': 'the API server is killed and started again on its data',
  'api-pause': 'the API server stands still and goes on',
  'redis-restart': 'Redis is killed and started again, with what it had on its disk',
  'redis-flush': 'Redis is killed and started again with nothing',
} as const;

export type ProcessFault = keyof typeof processFaults;
export type LiveFault = ProcessFault | WireFault;

export const isProcessFault = (name: string): name is ProcessFault => Object.hasOwn(processFaults, name);
export const processFaultNames = Object.keys(processFaults) as readonly ProcessFault[];

/** Those of a connection: what lasts for as long as it does would outlast a short run. */
const LASTING: ReadonlySet<string> = new Set(['unanswered']);
export const liveFaults: readonly LiveFault[] = [
  ...processFaultNames,
  ...(Object.keys(wireFaults) as readonly WireFault[]).filter((name) => !LASTING.has(name)),
];

/** How often a fault of a connection strikes where it can. */
const ODDS = { request: 0.02, event: 0.01 };
/** How long one lasts at most. */
const LONGEST = '5s';

/** The plan of a proxy that lets the faults of connections among `faults` strike. */
export function connectionPlan(faults: readonly string[]): string {
  const named = Object.entries(wireFaults).filter(([name]) => faults.includes(name));
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
