import { type Floats, formatPath } from '../schema/json.ts';
import { type JsonObject, isObject, setOwn } from '../schema/own.ts';

/** Placeholder, while a patch is merged, for a number that was not written as an integer. */
export class WrittenFloat {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** True if a value of a patch is a map. A `WrittenFloat` is an object but not a map. */
export const isMap = (value: unknown): value is JsonObject =>
  isObject(value) && !(value instanceof WrittenFloat);

/** Replaces the numbers whose paths are in `floats` by `WrittenFloat`s, in place. */
export function withWritten(
  value: unknown,
  floats: Floats,
  path: readonly (string | number)[] = [],
): unknown {
  if (typeof value === 'number')
    return floats.has(formatPath(path)) && typeof path.at(-1) === 'string' ? new WrittenFloat(value) : value;
  if (Array.isArray(value)) return value.map((item, at) => withWritten(item, floats, [...path, at]));
  if (isObject(value))
    for (const key of Object.keys(value)) setOwn(value, key, withWritten(value[key], floats, [...path, key]));
  return value;
}

/** Replaces all `WrittenFloat`s by plain numbers, in place. */
export function withNumbers(value: unknown): unknown {
  if (value instanceof WrittenFloat) return value.value;
  if (Array.isArray(value)) return value.map(withNumbers);
  if (isObject(value)) for (const key of Object.keys(value)) setOwn(value, key, withNumbers(value[key]));
  return value;
}
