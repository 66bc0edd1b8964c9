import { type Field, resolve, type Schema } from '../schema/schema.ts';
import { NAMED_SCALARS } from './value-definitions.ts';

/** Returns the zero value of a type; undefined for lists, maps and bytes. */
export function zeroOf(schema: Schema): unknown {
  const resolved = resolve(schema);
  if (resolved.kind === 'array' || resolved.kind === 'map') return undefined;
  if (resolved.kind !== 'scalar' || NAMED_SCALARS[resolved.format] !== undefined) return {};
  switch (resolved.format) {
    case 'string':
      return '';
    case 'boolean':
      return false;
    case 'bytes':
      return undefined;
    default:
      return 0;
  }
}

/**
 * Returns the documented default of an absent field. Release 1.24 documents a default for every field held by
 * value.
 */
export function defaultOf({ presence, schema, options }: Field): unknown {
  if (options.default !== undefined) return options.default;
  if (presence === 'optional' || options.nullable === true) return undefined;
  const zero = zeroOf(schema);
  return presence === 'required' || typeof zero === 'object' ? zero : undefined;
}
