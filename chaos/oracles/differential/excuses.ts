import type { FaultName } from '../../world/fault-kinds.ts';

/** Differences that a fault excuses between the run with the fault and the same run without faults. */
export interface Excuse {
  /** Maximum time in milliseconds for which controllers may be behind after the fault. */
  readonly behindMs: number;
  /** True if the fault may make a controller repeat a creation or deletion that was executed. */
  readonly repeats?: true;
  /** True if controllers may act at other times after the fault, so that the runs cannot be compared. */
  readonly all?: true;
}

const SECOND = 1_000;
/** Time in milliseconds for the retries and lists that follow the end of a fault. */
const AFTERWARDS_MS = 60 * SECOND;

const behind = (seconds: number): Excuse => ({ behindMs: seconds * SECOND + AFTERWARDS_MS });
const repeating = (seconds: number): Excuse => ({ ...behind(seconds), repeats: true });
const ALL: Excuse = { behindMs: Infinity, all: true };

/** Excuses by fault. Durations are the maximum durations in a world. */
export const excuses: Readonly<Record<FaultName, Excuse>> = {
  'slow-request': repeating(60),
  'slow-response': behind(60),
  refused: behind(0),
  'lost-response': behind(0),
  unanswered: behind(60),
  zombie: repeating(180),
  'crash-before': behind(120),
  'crash-after': behind(120),
  conflict: behind(0),
  'too-many-requests': behind(0),
  'server-error': behind(0),
  unavailable: behind(0),
  'stale-list': repeating(0),
  'expired-page': behind(0),
  touched: behind(0),
  recreated: behind(0),
  'late-events': behind(300),
  'repeated-event': behind(10),
  'cut-watch': behind(0),
  'ended-watch': behind(0),
  'silent-watch': behind(540),
  'expired-watch': behind(300),
  crash: behind(120),
  pause: behind(300),
  'clock-forward': ALL,
  'clock-back': ALL,
  partition: behind(300),
  'early-key': behind(0),
  'restart-storm': behind(400),
  compaction: behind(0),
  'api-restart': behind(60),
  'api-clock-forward': ALL,
  'redis-slow': ALL,
  'redis-refused': ALL,
  'redis-lost-response': ALL,
  'redis-restart': ALL,
  'redis-failover': ALL,
  'redis-flush': ALL,
  'redis-partition': ALL,
};
