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

/** Number of measurements before a limit counts as exceeded. */
const TRIES = 5;

/**
 * Returns the least processor time of some runs of synchronous work, in milliseconds. It stops at the first
 * run within the limit. Other load, garbage collection and compilation can disturb single runs, but not all.
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

/** Returns what `leastProcessorMs` returns, for asynchronous work of this thread. */
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
 * Returns how much slower than the reference machine this one currently is, at least 1; limits in
 * milliseconds are multiplied by it.
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
