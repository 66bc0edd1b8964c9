import { readFileSync } from 'node:fs';

/** Returns the processor time of this thread, or of the process if the system does not report threads. */
export function processorMs(): number {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[0]) / 1e6;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e3;
  }
}

/** Maximum number of measurements before a limit counts as exceeded. */
const TRIES = 5;

/**
 * Returns the minimum processor time of several runs of synchronous work, in milliseconds. Stops at the first
 * run within the limit. Other programs, garbage collection and compilation can disturb single runs, but not
 * all.
 */
export function leastProcessorMs(limitMs: number, work: () => void): number {
  let least = Infinity;
  for (let run = 0; run < TRIES && least >= limitMs; run += 1) {
    const from = processorMs();
    work();
    least = Math.min(least, processorMs() - from);
  }
  return least;
}

/** Returns the same minimum as `leastProcessorMs`, for asynchronous work of this thread. */
export async function leastProcessorMsOf(limitMs: number, work: () => Promise<void>): Promise<number> {
  let least = Infinity;
  for (let run = 0; run < TRIES && least >= limitMs; run += 1) {
    const from = processorMs();
    await work();
    least = Math.min(least, processorMs() - from);
  }
  return least;
}

/** Processor time of the reference work on a quiet two-core cloud machine, in milliseconds. */
const REFERENCE_MS = 6;

/**
 * Returns the factor by which this machine is currently slower than the reference machine, at least 1. Limits
 * in milliseconds are multiplied by this factor.
 */
export function slowness(): number {
  const text = JSON.stringify(
    Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`k${at}`, `v${at}`])),
  );
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 5; run += 1) {
    const from = processorMs();
    JSON.parse(text);
    least = Math.min(least, processorMs() - from);
  }
  return Math.max(1, least / REFERENCE_MS);
}
