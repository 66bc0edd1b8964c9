import { type DecodeError, JSON_WORDS, goType } from './decode-context.ts';
import { resolve } from './schema.ts';

/**
 * What upstream's converter of untyped maps, which makes the object of a strategic merge patch, says of a value that
 * decoding has refused: it names kinds of Go and no field.
 */
export function conversionFault({ code, message, found, schema }: DecodeError): string {
  const target = resolve(schema);
  switch (target.kind) {
    case 'array':
    case 'map':
      return `cannot restore ${target.kind === 'array' ? 'slice' : 'map'} from ${found}`;
    case 'struct':
      return `cannot restore struct from: ${found}`;
    case 'any':
    case 'either':
      return message;
    case 'scalar':
      break;
  }
  const type = goType(target);
  switch (target.format) {
    case 'bytes':
      return code === 'format'
        ? `error decoding from json: ${message}`
        : `cannot restore slice from ${found}`;
    case 'string':
      return found === 'int64' ? 'cannot convert int64 to string' : 'unrecognized type: string';
    case 'boolean':
    case 'double':
      return `unrecognized type: ${type}`;
    case 'int32':
    case 'int64':
      // Upstream cuts off what does not fit; here it is refused as in any other body.
      if (found === 'int64') return message;
      return found === 'float64' ? `cannot convert float64 to ${type}` : `unrecognized type: ${type}`;
    default:
      // Types that read their own JSON are handed it.
      return code === 'format'
        ? message
        : `json: cannot unmarshal ${JSON_WORDS[found]} into Go value of type ${type}`;
  }
}
