/**
 * The monotonic clock of the model always shows the same, and what was read from it earlier grows older: no two worlds
 * differ in how late it is alone. Readings are told from other numbers by their size.
 */
export const MONOTONIC_NOW = 2 ** 50;

/** So far from `MONOTONIC_NOW` a number is a reading, or one with a delay added or taken. */
const NEAR_MS = 2 ** 40;
/** What is older than this has outlasted all that a controller waits for without being told, and counts as equally old. */
const LONG_AGO_MS = 5_000;
/** Longer than that, and than any delay that was added to a reading. */
export const WHILE_MS = 10_000;

/** What a controller remembers, when `ms` have passed; the same object where that makes no difference. */
export function aged<T>(memory: T, ms: number): T;
export function aged(memory: unknown, ms: number): unknown {
  if (typeof memory === 'number') return agedNumber(memory, ms);
  if (Array.isArray(memory)) {
    const items = memory.map((each: unknown) => aged(each, ms));
    return items.some((each, at) => each !== memory[at]) ? items : memory;
  }
  if (typeof memory !== 'object' || memory === null) return memory;
  const entries = Object.entries(memory).map(([key, value]) => [key, value, aged(value, ms)] as const);
  return entries.some(([, before, after]) => before !== after)
    ? Object.fromEntries(entries.map(([key, , after]) => [key, after]))
    : memory;
}

function agedNumber(number: number, ms: number): number {
  if (Math.abs(number - MONOTONIC_NOW) > NEAR_MS) return number;
  const later = number - ms;
  return later <= MONOTONIC_NOW - LONG_AGO_MS ? MONOTONIC_NOW - WHILE_MS : later;
}
