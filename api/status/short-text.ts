import { writeJson } from '../schema/exact-json.ts';
import { type JsonObject, isObject, setOwn } from '../schema/own.ts';

/** Maximum number of characters of one value in an error message. */
export const MOST_PRINTED = 2_048;

/** Shortens a string to `most` characters and appends `...`. A string that is not longer stays the same. */
export const cutText = (text: string, most: number = MOST_PRINTED): string =>
  text.length <= most ? text : `${text.slice(0, most)}...`;

/**
 * Formats a value as JSON of at most about `MOST_PRINTED` characters. Reads only as much of the value as it
 * prints.
 */
export const shortJson = (value: unknown): string =>
  cutText(writeJson(beginning(value, { left: MOST_PRINTED })));

/** Copies the first parts of a value, up to about `room.left` characters of JSON. */
export function beginning(value: unknown, room: { left: number }): unknown {
  if (typeof value === 'string') {
    const most = Math.max(room.left, 0);
    room.left -= Math.min(value.length, most) + 2;
    return cutText(value, most);
  }
  room.left -= 2;
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    for (let at = 0; at < value.length && room.left > 0; at += 1) list.push(beginning(value[at], room));
    return list;
  }
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const key in value) {
    if (room.left <= 0) break;
    if (!Object.hasOwn(value, key)) continue;
    room.left -= key.length + 4;
    setOwn(copy, key, beginning(value[key], room));
  }
  return copy;
}
