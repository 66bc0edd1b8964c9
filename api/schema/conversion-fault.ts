import { type DecodeError, JSON_WORDS, goType } from './decode-context.ts';
import { resolve } from './schema.ts';

/**
 * Returns the error of upstream's converter of untyped maps for a value that decoding rejected. The converter
 * builds the object of a strategic merge patch; its messages name Go kinds and no field. See
 * https://github.com/kubernetes/kubernetes/blob/v1.24.0/staging/src/k8s.io/apimachinery/pkg/runtime/converter.go
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
      // Upstream silently truncates a number that does not fit. Here the number is rejected, as in any other
      // request body.
      if (found === 'int64') return message;
      return found === 'float64' ? `cannot convert float64 to ${type}` : `unrecognized type: ${type}`;
    default:
      // Values of all other formats unmarshal their JSON in Go code, so the errors are those of `encoding/json`.
      return code === 'format'
        ? message
        : `json: cannot unmarshal ${JSON_WORDS[found]} into Go value of type ${type}`;
  }
}
