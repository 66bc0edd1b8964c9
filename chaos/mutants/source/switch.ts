/** Maximum number of mutants in one instrumented copy. */
const CAPACITY = 1 << 16;

const reached = new Uint8Array(CAPACITY);
let active = 0;
let left = Infinity;

/**
 * Returns true if the mutant is on, and records that its place was reached. Throws if switches were read more
 * often than `limitSwitches` allows, which ends endless loops.
 */
export function isMutantOn(id: number): boolean {
  reached[id] = 1;
  if (--left < 0) throw new Error('the mutant runs in an endless loop');
  return id === active;
}

/** Switches one mutant on and all others off; 0 switches all off. */
export function switchMutant(id: number): void {
  active = id;
}

/** Sets how often switches can be read from now on; default unlimited. */
export function limitSwitches(count = Infinity): void {
  left = count;
}

/** Returns how often switches can still be read. */
export const switchesLeft = (): number => left;

/** Returns the numbers of the mutants whose place was reached since the last call. */
export function takeReached(): readonly number[] {
  const ids: number[] = [];
  for (let id = reached.indexOf(1); id >= 0; id = reached.indexOf(1, id + 1)) ids.push(id);
  reached.fill(0);
  return ids;
}
