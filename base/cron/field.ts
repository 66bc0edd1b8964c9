/** Values that one field of a schedule matches. */
export interface FieldMask {
  readonly values: ReadonlySet<number>;
  /**
   * True for `*` or `?` without a step above 1. This decides whether day-of-month and day-of-week are
   * combined by AND or OR.
   */
  readonly star: boolean;
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: { readonly [name: string]: number };
}

const numbered = (names: readonly string[], from: number): { readonly [name: string]: number } =>
  Object.fromEntries(names.map((name, at) => [name, at + from]));

/** Bounds and names of the fields. */
export const fieldBounds = {
  minute: { min: 0, max: 59 },
  hour: { min: 0, max: 23 },
  dayOfMonth: { min: 1, max: 31 },
  month: {
    min: 1,
    max: 12,
    names: numbered(['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'], 1),
  },
  dayOfWeek: { min: 0, max: 6, names: numbered(['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'], 0) },
} satisfies { readonly [field: string]: Bounds };

/** True if a field matches the value. */
export const matches = (mask: FieldMask, at: number): boolean => mask.values.has(at);

/**
 * Parses a comma-separated field. Empty parts are skipped, so `1,15,` is valid, and a single `,` matches no
 * value.
 */
export function parseField(text: string, bounds: Bounds): FieldMask {
  const values = new Set<number>();
  let star = false;
  for (const part of text.split(',')) {
    if (part === '') continue;
    const range = parseRange(part, bounds);
    star ||= range.star;
    for (let at = range.start; at <= range.end; at += range.step) values.add(at);
  }
  return { values, star };
}

function parseRange(
  text: string,
  bounds: Bounds,
): { start: number; end: number; step: number; star: boolean } {
  const [range = '', stepText, ...slashes] = text.split('/');
  const [low = '', high, ...hyphens] = range.split('-');
  let star = low === '*' || low === '?';
  let start = bounds.min;
  let end = bounds.max;
  if (!star) {
    start = parseValue(low, bounds);
    if (hyphens.length > 0) throw new Error(`too many hyphens: ${text}`);
    end = high === undefined ? start : parseValue(high, bounds);
  }
  let step = 1;
  if (slashes.length > 0) throw new Error(`too many slashes: ${text}`);
  if (stepText !== undefined) {
    step = parseWhole(stepText);
    if (high === undefined) end = bounds.max;
    if (step > 1) star = false;
  }
  if (start < bounds.min)
    throw new Error(`beginning of range (${start}) below minimum (${bounds.min}): ${text}`);
  if (end > bounds.max) throw new Error(`end of range (${end}) above maximum (${bounds.max}): ${text}`);
  if (start > end) throw new Error(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  if (step === 0) throw new Error(`step of range should be a positive number: ${text}`);
  return { start, end, step, star };
}

function parseValue(text: string, { names }: Bounds): number {
  const name = text.toLowerCase();
  return names && Object.hasOwn(names, name) ? (names[name] as number) : parseWhole(text);
}

function parseWhole(text: string): number {
  if (!/^[+-]?\d+$/.test(text))
    throw new Error(
      `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`,
    );
  const whole = Number(text);
  if (!Number.isSafeInteger(whole))
    throw new Error(
      `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: value out of range`,
    );
  if (whole < 0) throw new Error(`negative number (${whole}) not allowed: ${text}`);
  return whole;
}
