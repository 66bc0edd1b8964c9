import { translateTimestampSince } from '../kinds/age.ts';
import { CREATED, nameColumn } from '../kinds/columns.ts';
import type { Column } from '../kinds/kind.ts';
import { type Int64, writeJson } from '../schema/exact-json.ts';
import { FormatError, canonicalTime } from '../schema/times.ts';
import type { CustomResourceColumnDefinition } from '../types/apiextensions-v1.ts';
import type { CustomObject } from './custom-kind.ts';
import { findAll, parseJsonPath } from './json-path.ts';

const AGE: CustomResourceColumnDefinition = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: CREATED,
};

/**
 * Name, then the columns of a definition; without any, Age. The first whose path cannot be read ends them. Release 1.24,
 * `tableconvertor.New`.
 */
export function customColumns(
  declared: readonly CustomResourceColumnDefinition[],
): readonly Column<CustomObject>[] {
  const columns: Column<CustomObject>[] = [nameColumn];
  for (const each of declared.length === 0 ? [AGE] : declared) {
    const column = customColumn(each);
    if (column === undefined) break;
    columns.push(column);
  }
  return columns;
}

function customColumn(declared: CustomResourceColumnDefinition): Column<CustomObject> | undefined {
  const { name, type, format, description, priority = 0, jsonPath } = declared;
  const path = parseJsonPath(jsonPath);
  if (path === undefined) return undefined;
  const cellOf = Object.hasOwn(CELLS, type) ? CELLS[type] : undefined;
  return {
    name,
    type: type as Column['type'],
    ...(format ? { format } : {}),
    ...(priority === 0 ? {} : { priority }),
    description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    cell: (object, nowMs) => {
      const [value] = findAll(path, object);
      return value === undefined || value === null ? null : (cellOf?.(value, nowMs) ?? null);
    },
  };
}

type Cell = string | Int64 | boolean | null;

/** What is of another type than its column is shown as nothing. */
const CELLS: { readonly [type: string]: (value: unknown, nowMs: number) => Cell } = {
  string: (value) => (typeof value === 'object' ? writeJson(value) : String(value)),
  integer: (value) =>
    typeof value === 'bigint' ? value : typeof value === 'number' ? Math.trunc(value) : null,
  number: (value) => (typeof value === 'number' || typeof value === 'bigint' ? value : null),
  boolean: (value) => (typeof value === 'boolean' ? value : null),
  date: (value, nowMs) => (typeof value === 'string' ? since(value, nowMs) : null),
};

function since(text: string, nowMs: number): string {
  try {
    return translateTimestampSince(text === '' ? undefined : canonicalTime(text), nowMs);
  } catch (error) {
    if (error instanceof FormatError) return '<invalid>';
    throw error;
  }
}
