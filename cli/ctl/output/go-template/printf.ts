import { goFloat, isGoInteger } from '../../../../api/schema/index.ts';
import { isRecord } from '../../../../base/collections/index.ts';

/** Number of one of Go's integer types. All other numbers are float64. */
export class Int {
  readonly value: number | bigint;
  readonly type: 'int' | 'int64';

  constructor(value: number | bigint, type: Int['type'] = 'int') {
    this.value = value;
    this.type = type;
  }
}

/** Returns the value with its integers as int64, as kubectl reads JSON. */
export function withIntegers(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'bigint')
    return isGoInteger(value) ? new Int(value, 'int64') : value;
  if (Array.isArray(value)) return value.map(withIntegers);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withIntegers(item)]));
}

/** Formats a value as Go's `%v` does. */
export function goValue(value: unknown): string {
  if (value === undefined || value === null) return '<nil>';
  if (value instanceof Int) return String(value.value);
  if (typeof value === 'number') return goFloat(value);
  if (Array.isArray(value)) return `[${value.map(goValue).join(' ')}]`;
  if (!isRecord(value)) return String(value);
  return `map[${Object.keys(value)
    .sort()
    .map((name) => `${name}:${goValue(value[name])}`)
    .join(' ')}]`;
}

/** Returns the name of a value's type in Go. */
export function goType(value: unknown): string {
  if (value === undefined || value === null) return '<nil>';
  if (value instanceof Int) return value.type;
  if (typeof value === 'number') return 'float64';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
}

const VERB = /%([-+# 0]*)(\d*)(?:\.(\d*))?([a-zA-Z%])/g;

/** Formats as Go's `fmt.Sprintf`: https://pkg.go.dev/fmt. */
export function sprintf(format: string, values: readonly unknown[]): string {
  let at = 0;
  const text = format.replace(
    VERB,
    (_, flags: string, width: string, precision: string | undefined, verb: string) => {
      if (verb === '%') return '%';
      if (at >= values.length) return `%!${verb}(MISSING)`;
      const value = values[at++];
      const formatted =
        formatOne(verb, value, flags, precision) ?? `%!${verb}(${goType(value)}=${goValue(value)})`;
      return padded(formatted, Number(width), flags, verb);
    },
  );
  if (at >= values.length) return text;
  const extra = values.slice(at).map((value) => `${goType(value)}=${goValue(value)}`);
  return `${text}%!(EXTRA ${extra.join(', ')})`;
}

function padded(text: string, width: number, flags: string, verb: string): string {
  if (flags.includes('-')) return text.padEnd(width);
  const withZeros = flags.includes('0') && !/[sqvt]/.test(verb);
  if (!withZeros) return text.padStart(width);
  const sign = /^[+-]/.exec(text)?.[0] ?? '';
  return sign + text.slice(sign.length).padStart(width - sign.length, '0');
}

function formatOne(
  verb: string,
  value: unknown,
  flags: string,
  precision: string | undefined,
): string | undefined {
  const digits = precision === undefined ? undefined : Number(precision);
  switch (verb) {
    case 'v':
      return goValue(value);
    case 's':
      return typeof value === 'string'
        ? value.slice(0, digits)
        : Array.isArray(value)
          ? goValue(value)
          : undefined;
    case 'q':
      return typeof value === 'string' ? JSON.stringify(value) : undefined;
    case 't':
      return typeof value === 'boolean' ? String(value) : undefined;
    case 'T':
      return goType(value);
    case 'd':
      return value instanceof Int ? signed(String(value.value), flags) : undefined;
    case 'x':
    case 'X':
      return hexadecimal(value, verb);
    case 'c':
      return value instanceof Int ? String.fromCodePoint(Number(value.value)) : undefined;
    default:
      return typeof value === 'number' ? floating(verb, value, flags, digits) : undefined;
  }
}

const signed = (text: string, flags: string): string =>
  flags.includes('+') && !text.startsWith('-') ? `+${text}` : text;

/** Formats with a number of decimals. Of two equally near results, Go takes the even one. */
function fixed(value: number, digits: number): string {
  const exact = value.toFixed(Math.min(100, digits + 60));
  const end = exact.length - Math.min(100 - digits, 60);
  const isTie = /^50*$/.test(exact.slice(end)) && /[02468]\.?$/.test(exact.slice(0, end));
  return isTie ? exact.slice(0, end).replace(/\.$/, '') : value.toFixed(digits);
}

function hexadecimal(value: unknown, verb: string): string | undefined {
  const text =
    value instanceof Int
      ? value.value.toString(16)
      : typeof value === 'string'
        ? Buffer.from(value).toString('hex')
        : undefined;
  return verb === 'X' ? text?.toUpperCase() : text;
}

function floating(verb: string, value: number, flags: string, digits = 6): string | undefined {
  if (verb === 'f' || verb === 'F') return signed(fixed(value, digits), flags);
  if (verb === 'e') return signed(value.toExponential(digits).replace(/e([+-])(\d)$/, 'e$10$2'), flags);
  if (verb === 'g') return signed(goFloat(value), flags);
  return undefined;
}
