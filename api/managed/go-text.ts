import { goNumber } from '../schema/go-text.ts';
import { isObject } from '../schema/own.ts';
import { goQuote } from '../status/go-quote.ts';

/** Formats a JSON value as upstream's messages do: strings quoted, all other values by `%v`. */
export function goQuoted(value: unknown): string {
  return typeof value === 'string' ? goQuote(value) : goPlain(value);
}

/** Formats a JSON value like Go's `%v`: `map[a:1 b:2]`, `[x y]`, `<nil>`. */
export function goPlain(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goPlain).join(' ')}]`;
  if (isObject(value)) {
    const entries = Object.keys(value).sort();
    return `map[${entries.map((key) => `${key}:${goPlain(value[key])}`).join(' ')}]`;
  }
  if (typeof value === 'number') return goNumber(value);
  return value === null || value === undefined ? '<nil>' : String(value as string | boolean | bigint);
}

/** Formats a JSON value like Go's `%#v`: strings quoted, containers with their Go types. */
export function goSyntax(value: unknown): string {
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (isObject(value)) {
    const entries = Object.keys(value).sort();
    return `map[string]interface {}{${entries.map((key) => `${goQuote(key)}:${goSyntax(value[key])}`).join(', ')}}`;
  }
  if (value === null || value === undefined) return 'interface {}(nil)';
  return typeof value === 'string' ? goQuote(value) : String(value as number | boolean);
}
