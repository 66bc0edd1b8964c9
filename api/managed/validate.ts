import { isObject } from '../schema/own.ts';
import { goPlain, goSyntax } from './go-text.ts';
import { type PathElement, fieldElement, printPath } from './path-element.ts';
import { type ListShape, type MapShape, type ScalarShape, type Shape, childShape } from './shape.ts';
import { TypedError, type TypedProblem, duplicate, elementOf } from './typed.ts';

/** Checks that an applied configuration has its shape. Throws `TypedError` in upstream's words, all problems at once. */
export function checkTyped(shape: Shape, value: unknown): void {
  const problems: TypedProblem[] = [];
  check(shape, value, [], problems);
  if (problems.length > 0) throw new TypedError(problems);
}

function check(shape: Shape, value: unknown, path: PathElement[], problems: TypedProblem[]): void {
  if (value === null || value === undefined) return;
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
      else checkList(shape, value, path, problems);
      return;
    case 'map':
      if (!isObject(value)) complain(`expected map, got ${shown(value)}`);
      else checkMap(shape, value, path, problems);
  }
}

/** A value in the hands of upstream's unstructured reader, as Go prints it. */
const shown = (value: unknown): string => `&{${goPlain(value)}}`;

function checkScalar({ accepts }: ScalarShape, value: unknown): string | undefined {
  const inside = `&value.valueUnstructured{Value:${goSyntax(value)}}`;
  switch (accepts) {
    case 'string':
      return typeof value === 'string' ? undefined : `expected string, got ${inside}`;
    case 'numeric':
      return typeof value === 'number'
        ? undefined
        : 'expected numeric (int or float), got *value.valueUnstructured';
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got ${inside}`;
    case 'scalar':
      return typeof value === 'object' ? `expected any scalar, got ${inside}` : undefined;
  }
}

function checkList(
  shape: ListShape,
  list: readonly unknown[],
  path: PathElement[],
  problems: TypedProblem[],
): void {
  const items = shape.items();
  const seen = new Set<PathElement>();
  for (const [index, item] of list.entries()) {
    const element = shape.rule.type === 'atomic' ? { step: `i:${String(index)}` } : elementOf(shape, item);
    if ('refused' in element) {
      problems.push({ path: printPath(path), message: `element ${String(index)}: ${element.refused}` });
      return;
    }
    if (seen.has(element.step)) problems.push({ path: printPath(path), message: duplicate(element.step) });
    seen.add(element.step);
    path.push(element.step);
    check(items, item, path, problems);
    path.pop();
  }
}

function checkMap(
  shape: MapShape,
  map: { readonly [key: string]: unknown },
  path: PathElement[],
  problems: TypedProblem[],
): void {
  for (const key of Object.keys(map)) {
    const child = childShape(shape, key);
    path.push(fieldElement(key));
    if (child) check(child, map[key], path, problems);
    else problems.push({ path: printPath(path), message: 'field not declared in schema' });
    path.pop();
  }
}
