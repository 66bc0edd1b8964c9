import { spend } from '../../base/budget/index.ts';
import { isObject } from '../schema/own.ts';
import { chargeKeys } from '../schema/tree-work.ts';
import { cutText } from '../status/short-text.ts';
import { goPlain, goSyntax } from './go-text.ts';
import { NOTHING_REAPPLIED, type Reapplied } from './reapplied.ts';
import { type PathElement, fieldElement, printPath } from './path-element.ts';
import type { ListShape, MapShape, ScalarShape, Shape } from './shape.ts';
import { TypedError, type TypedProblem, duplicate, elementOf } from './typed.ts';

/**
 * Checks that an applied configuration matches its shape. Throws `TypedError` with all errors, in upstream's
 * words.
 */
export function checkTyped(shape: Shape, value: unknown, checked: Reapplied = NOTHING_REAPPLIED): void {
  const problems: TypedProblem[] = [];
  check(shape, value, { path: [], problems, checked });
  if (problems.length > 0) throw new TypedError(problems);
}

interface Check {
  /** Current position, changed by pushing and popping. */
  readonly path: PathElement[];
  readonly problems: TypedProblem[];
  /** Parts that are known to match their shape. */
  readonly checked: Reapplied;
}

/** Maximum number of reported errors. */
const MAX_PROBLEMS = 100;

function check(shape: Shape, value: unknown, state: Check): void {
  if (value === null || value === undefined || state.checked.has(value)) return;
  const { path, problems } = state;
  if (problems.length >= MAX_PROBLEMS) return;
  const complain = (message: string): void => void problems.push({ path: printPath(path), message });
  switch (shape.type) {
    case 'free':
      return;
    case 'scalar': {
      const complaint = checkScalar(shape, value);
      if (complaint !== undefined) complain(complaint);
      return;
    }
    case 'list':
      if (!Array.isArray(value)) complain(`expected list, got ${shown(value)}`);
      else checkList(shape, value, state);
      return;
    case 'map':
      if (!isObject(value)) complain(`expected map, got ${shown(value)}`);
      else checkMap(shape, value, state);
  }
}

/** Formats a value as Go prints it in upstream's unstructured reader. */
const shown = (value: unknown): string => cutText(`&{${goPlain(value)}}`, MAX_SHOWN);

/** Maximum number of characters of a value in a message. */
const MAX_SHOWN = 1_000;

function checkScalar({ accepts }: ScalarShape, value: unknown): string | undefined {
  const inside = (): string => cutText(`&value.valueUnstructured{Value:${goSyntax(value)}}`, MAX_SHOWN);
  switch (accepts) {
    case 'string':
      return typeof value === 'string' ? undefined : `expected string, got ${inside()}`;
    case 'numeric':
      return typeof value === 'number' || typeof value === 'bigint'
        ? undefined
        : 'expected numeric (int or float), got *value.valueUnstructured';
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got ${shown(value)}`;
    case 'scalar':
      return typeof value === 'object' ? `expected any scalar, got ${inside()}` : undefined;
  }
}

function checkList(shape: ListShape, list: readonly unknown[], state: Check): void {
  const { path, problems } = state;
  spend(list.length);
  const items = shape.items();
  const seen = new Set<PathElement>();
  for (let index = 0; index < list.length; index += 1) {
    const item = list[index];
    const element = shape.rule.type === 'atomic' ? { step: `i:${String(index)}` } : elementOf(shape, item);
    if ('refused' in element) {
      problems.push({ path: printPath(path), message: `element ${String(index)}: ${element.refused}` });
      return;
    }
    if (seen.has(element.step)) problems.push({ path: printPath(path), message: duplicate(element.step) });
    seen.add(element.step);
    path.push(element.step);
    check(items, item, state);
    path.pop();
  }
}

function checkMap(shape: MapShape, map: { readonly [key: string]: unknown }, state: Check): void {
  const { path, problems } = state;
  const fields = shape.fields();
  const keys = Object.keys(map);
  chargeKeys(keys.length);
  for (const key of keys) {
    const field = fields.get(key);
    const child = field?.shape ?? shape.element();
    const value = map[key];
    if (child?.type === 'scalar' && typeof value === child.accepts) continue;
    path.push(field?.step ?? fieldElement(key));
    if (child) check(child, value, state);
    else problems.push({ path: printPath(path), message: 'field not declared in schema' });
    path.pop();
  }
}
