/**
 * The constant reading of the model's monotonic clock.
 *
 * Remembered readings become older instead of the clock advancing, so worlds never differ only in the current
 * time. Readings are recognized by their magnitude.
 */
export const MONOTONIC_NOW = 2 ** 50;

/** Maximum distance from `MONOTONIC_NOW` of a reading to which a delay was added. */
const NEAR_MS = 2 ** 40;
/** Age in milliseconds above which all readings are equivalent. It exceeds every wait of a controller. */
const LONG_AGO_MS = 5_000;
/** Delay in milliseconds that exceeds `LONG_AGO_MS` and every delay added to a reading. */
export const WHILE_MS = 10_000;

/** Returns the memory after `ms` milliseconds. Returns the same object if no reading changes. */
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
