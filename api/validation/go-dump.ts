import { type FieldError, fieldError } from '../status/field-errors.ts';
import { MOST_PRINTED, beginning, cutText } from '../status/short-text.ts';
import { type GoNode, goTree } from './go-tree.ts';
import { goString, invalidLiteral } from './go-values.ts';

/** A pointer is an address upstream; here always the same one. */
const ADDRESS = '0xc000000000';

/** Named texts print like texts; where a list or map says of what it is, the real type is `string`. */
const typeText = (type: string): string => type.replace(/\btext\b/g, 'string');

function printed(node: GoNode): string {
  switch (node.is) {
    case 'plain':
      return node.text;
    case 'nil':
      // A missing time prints itself so; it knows how it wants to be printed.
      if (node.type === '*v1.Time') return '<nil>';
      return node.type.startsWith('*') ? `(${node.type})(nil)` : `${typeText(node.type)}(nil)`;
    case 'pointer':
      return `(${node.type})(${ADDRESS})`;
    case 'list':
      return `${typeText(node.type)}{${node.parts.map((part) => printed(part.node)).join(', ')}}`;
    case 'map': {
      const entries = node.parts.map((part) => `${JSON.stringify(part.name)}:${printed(part.node)}`);
      return `${node.type}{${entries.join(', ')}}`;
    }
    case 'struct':
      return `${node.type}{${node.parts.map((part) => `${part.name}:${printed(part.node)}`).join(', ')}}`;
  }
}

/** Characters of Go source that one error prints. Larger than the JSON it stands for: empty fields are printed too. */
const MOST_DUMPED = 4 * MOST_PRINTED;

/**
 * Formats a JSON value as Go's `%#v` prints a value of the type: what clients read where a whole struct is refused. Reads
 * no more of a large value than is printed.
 */
export const goDump = (type: string, value: unknown): string =>
  cutText(printed(goTree(type, beginning(value, { left: MOST_PRINTED }))), MOST_DUMPED);

/** `invalidField` for a value of a Go type that is no plain scalar; a struct that is not there was a pointer upstream. */
export function invalidTyped(field: string, type: string, value: unknown, detail: string): FieldError {
  const isNothing = (value === undefined || value === null) && !type.startsWith('[]');
  return invalidLiteral(field, isNothing ? '"null"' : goDump(type, value), detail);
}

/** `notSupportedField` for such a value. */
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
