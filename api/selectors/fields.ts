import { CodedError } from '../../base/errors/index.ts';

/** Error for an invalid field selector. The messages are those of upstream. */
export class FieldSelectorError extends CodedError<'field-selector'> {
  constructor(message: string) {
    super('field-selector', message);
  }
}

/** One condition on a field. */
export interface FieldRequirement {
  /** Field path, such as `metadata.name`. */
  readonly path: string;
  readonly op: '=' | '!=';
  readonly value: string;
}

/** Immutable field selector. An object is selected if it meets all requirements. */
export interface FieldSelector {
  readonly requirements: readonly FieldRequirement[];
  /** True if the selector selects everything. */
  readonly empty: boolean;
  /** True if the fields meet all requirements. An absent field counts as the empty string. */
  matches(fields: { readonly [path: string]: string }): boolean;
  /** Returns the canonical string, with escaped values: `metadata.name=x,status.phase!=Running`. */
  toString(): string;
  /**
   * Returns the only value of the field that the selector can select; undefined if it can select several
   * values.
   */
  requiredValue(path: string): string | undefined;
}

const OPERATORS = ['!=', '==', '='] as const;

/**
 * Parses a selector such as `a=b,c!=d`. In values, `\` escapes `,`, `=` and `\`. Like upstream
 * (`hasTerm.Transform`), ignores a term that consists only of an operator. Throws `FieldSelectorError`.
 */
export function parseFieldSelector(text: string): FieldSelector {
  const terms = splitTerms(text).filter((term) => term !== '');
  terms.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const requirements = terms.map((term) => parseTerm(text, term));
  return createFieldSelector(requirements.filter(({ path, value }) => path !== '' || value !== ''));
}

/** Returns the selector of the given requirements. */
export function createFieldSelector(requirements: readonly FieldRequirement[]): FieldSelector {
  const text = requirements.map(({ path, op, value }) => `${path}${op}${escapeFieldValue(value)}`).join(',');
  return {
    requirements,
    empty: requirements.length === 0,
    matches: (fields) =>
      requirements.every(({ path, op, value }) => {
        const actual = Object.hasOwn(fields, path) ? fields[path] : '';
        return (actual === value) === (op === '=');
      }),
    toString: () => text,
    requiredValue: (path) => requirements.find((each) => each.path === path && each.op === '=')?.value,
  };
}

/** Selector that matches all fields. */
export const EVERY_FIELD: FieldSelector = createFieldSelector([]);

/** Escapes a value for a field selector: `a,b` becomes `a\,b`. */
export const escapeFieldValue = (value: string): string => value.replace(/[\\,=]/g, '\\$&');

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === ',') {
      terms.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...terms, text.slice(start)];
}

function parseTerm(selector: string, term: string): FieldRequirement {
  for (let at = 0; at < term.length; at += 1) {
    const operator = OPERATORS.find((each) => term.startsWith(each, at));
    if (operator === undefined) continue;
    const value = unescapeFieldValue(term.slice(at + operator.length));
    return { path: term.slice(0, at), op: operator === '!=' ? '!=' : '=', value };
  }
  throw new FieldSelectorError(`invalid selector: '${selector}'; can't understand '${term}'`);
}

function unescapeFieldValue(text: string): string {
  if (!/[\\,=]/.test(text)) return text;
  const characters = Array.from(text);
  let value = '';
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? '';
    if (character === ',' || character === '=') {
      throw new FieldSelectorError(
        `invalid field selector: unescaped character in value: ${character.codePointAt(0)}`,
      );
    }
    if (character !== '\\') {
      value += character;
      continue;
    }
    at += 1;
    const escaped = characters[at] ?? '';
    if (escaped === '' || !'\\,='.includes(escaped)) {
      throw new FieldSelectorError(`invalid field selector: invalid escape sequence: \\${escaped}`);
    }
    value += escaped;
  }
  return value;
}
