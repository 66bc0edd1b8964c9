import { parseGoDuration } from '../../base/cron/index.ts';
import { CodedError, messageOf } from '../../base/errors/index.ts';
import { isRecord } from '../../base/collections/index.ts';

/** Error for input that is not a valid fault plan, or not a valid journal of one. */
export class PlanError extends CodedError<'ERR_PLAN' | 'ERR_PLAN_JOURNAL'> {}

/** Reader for the fields of one object in a plan. Fields that are not read are unknown fields. */
export interface Fields {
  /** Returns a field; undefined if it is missing. */
  take(name: string): Field | undefined;
  /** Throws if a field was not read. */
  end(): void;
}

export interface Field {
  /** Path of the field, such as `rules[0].match.verb`. */
  readonly path: string;
  readonly value: unknown;
  /** Returns a `PlanError` with the field, its value and the accepted values. */
  wrong(expected: string): PlanError;
}

const fieldAt = (path: string, value: unknown): Field => ({
  path,
  value,
  wrong: (expected) =>
    new PlanError('ERR_PLAN', `${path}: received ${JSON.stringify(value)}, expected ${expected}`),
});

/** Creates a reader for the object at `path`. @param names all permitted fields, for the error message */
export function fieldsOf(path: string, value: unknown, names: readonly string[]): Fields {
  if (!isRecord(value)) throw fieldAt(path, value).wrong(`an object with ${names.join(', ')}`);
  const left = new Set(Object.keys(value));
  const below = (name: string): string => (path === 'plan' ? name : `${path}.${name}`);
  return {
    take(name) {
      left.delete(name);
      // Without this check, a name such as `valueOf` would find an inherited member.
      const given = Object.hasOwn(value, name) ? value[name] : undefined;
      return given === undefined || given === null ? undefined : fieldAt(below(name), given);
    },
    end() {
      for (const name of left)
        throw new PlanError('ERR_PLAN', `${below(name)}: unknown field, expected ${names.join(', ')}`);
    },
  };
}

export function itemsOf(field: Field | undefined, path: string): readonly Field[] {
  const value = field?.value;
  if (!Array.isArray(value)) throw (field ?? fieldAt(path, value)).wrong('a list');
  return value.map((item: unknown, i) => fieldAt(`${path}[${i}]`, item));
}

export function textOf(field: Field): string {
  if (typeof field.value !== 'string' || field.value === '') throw field.wrong('a non-empty string');
  return field.value;
}

/** Returns a non-empty list of strings; a single string counts as a list of one. */
export function textsOf(field: Field): readonly string[] {
  const list: readonly unknown[] = Array.isArray(field.value) ? field.value : [field.value];
  if (list.length === 0 || !list.every((each): each is string => typeof each === 'string' && each !== ''))
    throw field.wrong('a string or a list of strings');
  return list;
}

export function numberOf(
  field: Field,
  { min, max, whole = true }: { readonly min: number; readonly max: number; readonly whole?: boolean },
): number {
  const { value } = field;
  if (typeof value !== 'number' || !(value >= min && value <= max) || (whole && !Number.isInteger(value)))
    throw field.wrong(`a ${whole ? 'whole ' : ''}number from ${min} to ${max}`);
  return value;
}

/** Returns a duration such as `1m30s` in milliseconds. */
export function durationOf(field: Field): number {
  const { value } = field;
  if (typeof value !== 'string') throw field.wrong('a duration such as "1m30s"');
  let ms: number;
  try {
    ms = parseGoDuration(value);
  } catch (thrown) {
    throw field.wrong(`a duration such as "1m30s" (${messageOf(thrown)})`);
  }
  if (ms < 0) throw field.wrong('a duration that is not negative');
  return ms;
}

/** Returns the minimum and maximum of a range of durations, in milliseconds. A single duration is both. */
export function stretchOf(field: Field): readonly [number, number] {
  if (!Array.isArray(field.value)) {
    const ms = durationOf(field);
    return [ms, ms];
  }
  const [from, to, ...more] = itemsOf(field, field.path).map(durationOf);
  if (from === undefined || to === undefined || more.length > 0 || from > to)
    throw field.wrong('a duration, or a list of the shortest and the longest duration');
  return [from, to];
}
