const UNITS_MS: { readonly [unit: string]: number } = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

/** The longest duration Go can hold, in milliseconds (2^63 - 1 nanoseconds). */
const LONGEST_MS = Number((2n ** 63n - 1n) / 1_000_000n);

/** A duration as Go's `time.ParseDuration` reads it (`1h30m`, `1.5s`, `-2m`), in milliseconds. Throws with Go's words. */
export function parseGoDuration(text: string): number {
  const invalid = (): Error => new Error(`time: invalid duration ${JSON.stringify(text)}`);
  const sign = text.startsWith('-') ? -1 : 1;
  let rest = /^[+-]/.test(text) ? text.slice(1) : text;
  if (rest === '0') return 0;
  if (rest === '') throw invalid();
  let total = 0;
  while (rest !== '') {
    const number = /^(\d+\.?\d*|\.\d+)/.exec(rest)?.[0];
    if (number === undefined) throw invalid();
    rest = rest.slice(number.length);
    const unit = /^[^\d.]+/.exec(rest)?.[0];
    if (unit === undefined) throw new Error(`time: missing unit in duration ${JSON.stringify(text)}`);
    if (!Object.hasOwn(UNITS_MS, unit))
      throw new Error(`time: unknown unit ${JSON.stringify(unit)} in duration ${JSON.stringify(text)}`);
    rest = rest.slice(unit.length);
    total += Number(number) * (UNITS_MS[unit] as number);
  }
  if (total > LONGEST_MS) throw invalid();
  return sign * total;
}
