import { type Floats, formatPath } from '../schema/json.ts';
import { type JsonObject, isObject, setOwn } from '../schema/own.ts';

/** A number of a field that was not written as an integer, while a patch is merged. */
export class WrittenFloat {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** Whether a value of a patch has members: a `WrittenFloat` has none. */
export const isMap = (value: unknown): value is JsonObject =>
  isObject(value) && !(value instanceof WrittenFloat);

/** Puts `WrittenFloat`s into a value, in place, where `floats` say so. */
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

/** Takes them out again, in place. */
export function withNumbers(value: unknown): unknown {
  if (value instanceof WrittenFloat) return value.value;
  if (Array.isArray(value)) return value.map(withNumbers);
  if (isObject(value)) for (const key of Object.keys(value)) setOwn(value, key, withNumbers(value[key]));
  return value;
}
