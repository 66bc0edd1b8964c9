import {
  type JsonPath,
  JsonPathSyntax,
  evaluateTemplate,
  parseJsonPathTemplate,
} from '../../../api/json-path/index.ts';
import { UsageError } from '../../flags/flags.ts';
import { goValue, withIntegers } from './go-template/index.ts';

/** Column of `-o custom-columns`. */
export interface CustomColumn {
  readonly name: string;
  readonly path: JsonPath;
}

/**
 * Parses `NAME:.path,OTHER:.path`:
 * https://kubernetes.io/docs/reference/kubectl/#custom-columns
 */
export function parseCustomColumns(text: string): readonly CustomColumn[] {
  if (text === '') throw new UsageError('custom-columns format specified but no custom columns given');
  return splitColumns(text).map((part) => {
    const colon = part.indexOf(':');
    if (colon < 0)
      throw new UsageError(`unexpected custom-columns spec: ${part}, expected <header>:<json-path-expr>`);
    return { name: part.slice(0, colon), path: relaxedPath(part.slice(colon + 1)) };
  });
}

/** Splits at commas outside of brackets, as a filter or a union may contain commas. */
function splitColumns(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = '';
  for (const character of text) {
    if (character === '[' || character === '(') depth++;
    if (character === ']' || character === ')') depth--;
    if (character === ',' && depth <= 0) {
      parts.push(part);
      part = '';
    } else part += character;
  }
  return [...parts, part];
}

/** Parses two lines: the names, and a path below each name. */
export function parseCustomColumnsFile(text: string): readonly CustomColumn[] {
  const [names = '', paths = ''] = text.split(/\r?\n/);
  const headers = names.split(/\s+/).filter(Boolean);
  const specs = paths.split(/\s+/).filter(Boolean);
  if (headers.length === 0 || headers.length !== specs.length)
    throw new UsageError(
      `number of headers (${headers.length}) and field specifications (${specs.length}) don't match`,
    );
  return headers.map((name, at) => ({ name, path: relaxedPath(specs[at] ?? '') }));
}

/** Parses `.a.b`, `a.b` or `{.a.b}`, as the flags `--sort-by` and `-o custom-columns` accept them. */
export function relaxedPath(text: string): JsonPath {
  if (text === '') return [];
  const [, inside = ''] = /^\{?\.?([^{}]+)\}?$/.exec(text) ?? [];
  if (inside === '')
    throw new UsageError(
      `unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'`,
    );
  try {
    return parseJsonPathTemplate(`{.${inside}}`);
  } catch (thrown) {
    if (thrown instanceof JsonPathSyntax)
      throw new UsageError(`error parsing jsonpath ${text}, ${thrown.message}`);
    throw thrown;
  }
}

/** Returns the cells of an object. A missing value is `<none>`, several values are separated by commas. */
export const customCells = (columns: readonly CustomColumn[], object: unknown): readonly string[] =>
  columns.map(({ path }) => {
    const values = evaluateTemplate(path, object).flat();
    return values.length === 0 ? '<none>' : values.map((value) => goValue(withIntegers(value))).join(',');
  });
