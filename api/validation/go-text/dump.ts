import { type FieldError, fieldError } from '../../status/field-errors.ts';
import { MOST_PRINTED, beginning, cutText } from '../../status/short-text.ts';
import { type GoNode, goTree, typeName } from './tree.ts';
import { goString, invalidLiteral } from './values.ts';

/**
 * Printed address of a pointer. Upstream prints the actual address; a constant keeps messages reproducible.
 */
const ADDRESS = '0xc000000000';

function printed(node: GoNode): string {
  switch (node.is) {
    case 'plain':
      return node.text;
    case 'nil':
      // A missing time is an exception, because its Go type has a `GoString` method.
      if (node.type === '*v1.Time') return '<nil>';
      return node.type.startsWith('*') ? `(${node.type})(nil)` : `${typeName(node.type)}(nil)`;
    case 'pointer':
      return `(${node.type})(${ADDRESS})`;
    case 'list':
      return `${typeName(node.type)}{${node.parts.map((part) => printed(part.node)).join(', ')}}`;
    case 'map': {
      const entries = node.parts.map((part) => `${JSON.stringify(part.name)}:${printed(part.node)}`);
      return `${node.type}{${entries.join(', ')}}`;
    }
    case 'struct':
      return `${node.type}{${node.parts.map((part) => `${part.name}:${printed(part.node)}`).join(', ')}}`;
  }
}

/**
 * Maximum number of characters of Go source in one error. It exceeds the limit for JSON, because Go source
 * also contains empty fields.
 */
const MOST_DUMPED = 4 * MOST_PRINTED;

/**
 * Formats a JSON value like Go's `%#v` of the given type, as in errors about a whole struct. Reads only as
 * much of a large value as it prints.
 */
export const goDump = (type: string, value: unknown): string =>
  cutText(printed(goTree(type, beginning(value, { left: MOST_PRINTED }))), MOST_DUMPED);

/**
 * Returns `invalidField` for a value whose Go type is no plain scalar. A missing struct is printed as a nil
 * pointer.
 */
export function invalidTyped(field: string, type: string, value: unknown, detail: string): FieldError {
  const isNothing = (value === undefined || value === null) && !type.startsWith('[]');
  return invalidLiteral(field, isNothing ? '"null"' : goDump(type, value), detail);
}

/** Returns `notSupportedField` for a value whose Go type is no plain scalar. */
export const notSupportedTyped = (
  field: string,
  type: string,
  value: unknown,
  accepted: readonly string[],
): FieldError =>
  fieldError(
    'FieldValueNotSupported',
    field,
    `Unsupported value: ${goDump(type, value)}: supported values: ${accepted.map(goString).join(', ')}`,
  );
