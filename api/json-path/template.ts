import { goJson, goNumber } from '../schema/go-text.ts';
import { isObject } from '../schema/own.ts';
import { GoNumber, type JsonPath, type JsonPathList } from './json-path.ts';
import { Search } from './search.ts';

/** Error of a template that cannot be evaluated for a value. */
export class JsonPathFailure extends Error {}

/** Maximum number of values that one template may visit. */
const MAX_VISITED = 50_000_000;

/**
 * Evaluates a template for a value as client-go with `AllowMissingKeys`. Returns the values that each action
 * finds, in the order of the output. Throws `JsonPathFailure`.
 */
export const evaluateTemplate = (template: JsonPath, root: unknown): readonly (readonly unknown[])[] =>
  new Evaluation(new Search(MAX_VISITED)).block(template, 0, root, false).results;

/**
 * Returns the output of a template, as `kubectl -o jsonpath` prints it: the values of one action are separated
 * by spaces, maps and lists are JSON. Throws `JsonPathFailure`.
 */
export const printTemplate = (template: JsonPath, root: unknown): string =>
  evaluateTemplate(template, root)
    .map((values) => values.map(textOf).join(' '))
    .join('');

interface Block {
  readonly results: readonly (readonly unknown[])[];
  /** Index of the action after the block. */
  readonly next: number;
}

class Evaluation {
  readonly #search: Search;

  constructor(search: Search) {
    this.#search = search;
  }

  /** Evaluates the actions from index `from` to the end of the template, or to `{end}` inside a range. */
  block(template: JsonPath, from: number, root: unknown, inRange: boolean): Block {
    const results: (readonly unknown[])[] = [];
    let at = from;
    while (at < template.length) {
      const list = template[at] ?? [];
      const word = wordOf(list);
      if (word === 'end') {
        if (!inRange) throw new JsonPathFailure('not in range, nothing to end');
        return { results, next: at + 1 };
      }
      if (word === 'range') {
        const items = this.#values(list.slice(1), root);
        // Without items, the block is evaluated once to find its end.
        const runs = (items.length === 0 ? [undefined] : items).map((item) =>
          this.block(template, at + 1, item, true),
        );
        if (items.length > 0) for (const run of runs) for (const found of run.results) results.push(found);
        at = runs[0]?.next ?? template.length;
        continue;
      }
      results.push(this.#values(list, root));
      at += 1;
    }
    return { results, next: at };
  }

  #values(list: JsonPathList, root: unknown): readonly unknown[] {
    const { values, failed, reason = '' } = this.#search.list(list, [root]);
    if (failed) throw new JsonPathFailure(reason);
    return values;
  }
}

const wordOf = ([first]: JsonPathList): string | undefined =>
  first?.node === 'identifier' ? first.name : undefined;

/** Returns a value as `fmt.Fprint` writes it, and maps and lists as JSON. */
function textOf(value: unknown): string {
  if (value instanceof GoNumber) return goNumber(value.value);
  if (typeof value === 'number' || typeof value === 'bigint') return goNumber(value);
  if (Array.isArray(value) || isObject(value)) return goJson(value);
  return String(value);
}
