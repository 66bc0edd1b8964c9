import { type Field, resolve, type Schema } from '../schema/schema.ts';
import { NAMED_SCALARS } from './value-definitions.ts';

/** What a value of a type is before anything of it is known; none is one of lists, maps and bytes. */
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

/** What is said to stand where a field is absent: in release 1.24 everything that is held as a value. */
export function defaultOf({ presence, schema, options }: Field): unknown {
  if (options.default !== undefined) return options.default;
  if (presence === 'optional' || options.nullable === true) return undefined;
  const zero = zeroOf(schema);
  return presence === 'required' || typeof zero === 'object' ? zero : undefined;
}
