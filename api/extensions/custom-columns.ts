import { translateTimestampSince } from '../kinds/age.ts';
import { CREATED, nameColumn } from '../kinds/columns.ts';
import type { Column } from '../kinds/kind.ts';
import { type Int64, int64Of } from '../schema/exact-json.ts';
import { goFloat, goJson, goNumber, isGoInteger } from '../schema/go-text.ts';
import { FormatError, canonicalTime } from '../schema/times.ts';
import type { CustomResourceColumnDefinition } from '../types/apiextensions-v1.ts';
import type { CustomObject } from './custom-object.ts';
import { GoNumber, findAll, parseJsonPath } from '../json-path/index.ts';

const AGE: CustomResourceColumnDefinition = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: CREATED,
};

/**
 * Returns the columns of a custom resource's Table: Name, followed by the columns of the
 * CustomResourceDefinition or, if it declares none, by Age. The cells of a column with an invalid path are
 * empty. Release 1.24 omits this column and all later columns (`tableconvertor.New`).
 */
export const customColumns = (
  declared: readonly CustomResourceColumnDefinition[],
): readonly Column<CustomObject>[] => [
  nameColumn,
  ...(declared.length === 0 ? [AGE] : declared).map(customColumn),
];

function customColumn(declared: CustomResourceColumnDefinition): Column<CustomObject> {
  const { name, type, format, description, priority = 0, jsonPath } = declared;
  const path = parseJsonPath(jsonPath);
  const cellOf = Object.hasOwn(CELLS, type) ? CELLS[type] : undefined;
  return {
    name,
    type: type as Column['type'],
    ...(format ? { format } : {}),
    ...(priority === 0 ? {} : { priority }),
    description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    cell: (object, nowMs) => {
      const [value] = (path && findAll(path, object)) ?? [];
      return value === undefined ? null : (cellOf?.(value, nowMs) ?? null);
    },
  };
}

type Cell = string | Int64 | boolean | null;

/**
 * Functions from a value to a cell, by the type of the column. The cell of a value of the wrong type is
 * empty. A null in a column of type `string` is printed as `<no value>`, as upstream does.
 */
const CELLS: { readonly [type: string]: (value: unknown, nowMs: number) => Cell } = {
  string: textOf,
  integer: (value) => (isFloat(value) ? int64OfFloat(floatOf(value)) : isGoInteger(value) ? value : null),
  number: (value) => (isFloat(value) ? floatOf(value) : isGoInteger(value) ? Number(value) : null),
  boolean: (value) => (typeof value === 'boolean' ? value : null),
  date: (value, nowMs) => (typeof value === 'string' ? since(value, nowMs) : null),
};

function textOf(value: unknown): string {
  if (value === null) return '<no value>';
  if (value instanceof GoNumber)
    return value.kind === 'float' ? goFloat(floatOf(value)) : String(value.value);
  if (typeof value === 'object') return goJson(value);
  return typeof value === 'number' ? goNumber(value) : String(value as string | bigint | boolean);
}

const isFloat = (value: unknown): value is number | GoNumber =>
  value instanceof GoNumber ? value.kind === 'float' : typeof value === 'number' && !isGoInteger(value);

const floatOf = (value: number | GoNumber): number => Number(value instanceof GoNumber ? value.value : value);

/**
 * Converts a float to a 64-bit integer like Go on amd64: a number that does not fit becomes the smallest
 * integer.
 */
function int64OfFloat(value: number): Int64 {
  const whole = Math.trunc(value);
  return (Math.abs(whole) < 2 ** 63 ? int64Of(String(BigInt(whole))) : undefined) ?? -(2n ** 63n);
}

function since(text: string, nowMs: number): string {
  try {
    return translateTimestampSince(text === '' || text === 'null' ? undefined : canonicalTime(text), nowMs);
  } catch (error) {
    if (error instanceof FormatError) return '<invalid>';
    throw error;
  }
}
