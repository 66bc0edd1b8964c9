import { spend } from '../../base/budget/index.ts';
import { writeJson } from '../schema/exact-json.ts';
import { type JsonObject, cloneJson, equalJson, getOwn, isObject, setOwn } from '../schema/own.ts';
import { chargeItems, chargeTree } from '../schema/tree-work.ts';
import { type Container, childOf, follow, itemAt, toIndex } from './json-pointer.ts';
import { PatchError, wrongKind } from './patch-error.ts';

/** Limits of a JSON patch. */
export interface JsonPatchOptions {
  /** Maximum number of operations of a patch; default 10,000. */
  readonly maxOperations?: number;
  /** Maximum size of the JSON that all `copy` operations of a patch may add, in bytes; default 3 MiB. */
  readonly maxCopyBytes?: number;
  /** Maximum nesting of the result; default 1,000. */
  readonly maxDepth?: number;
}

const MAX_OPERATIONS = 10_000;
const MAX_COPY_BYTES = 3 * 1024 * 1024;
const MAX_DEPTH = 1_000;
/** Measured work units for an operation, and for each list item that an insertion or removal moves. */
const OPERATION = 1;
const ITEM_MOVED_UP = 0.001;
const ITEM_MOVED_DOWN = 0.006;

/**
 * Applies a JSON patch (RFC 6902) like evanphx/json-patch 4.12, which release 1.24 uses. Deviations from the
 * RFC: negative indices count from the end. Only `replace` and `test` accept the path of the whole object.
 * `add` without a value adds null. A missing key of an object can be replaced, and is copied as null. Changes
 * neither argument. Throws `PatchError`.
 */
export function applyJsonPatch(
  document: JsonObject,
  operations: unknown,
  {
    maxOperations = MAX_OPERATIONS,
    maxCopyBytes = MAX_COPY_BYTES,
    maxDepth = MAX_DEPTH,
  }: JsonPatchOptions = {},
): JsonObject {
  if (operations === null) return cloneJson(document);
  if (!Array.isArray(operations)) {
    throw wrongKind(operations, 'jsonpatch.Patch');
  }
  if (operations.length > maxOperations) {
    throw new PatchError(
      'too-large',
      `Request entity too large: The allowed maximum operations in a JSON patch is ${maxOperations}, got ${operations.length}`,
    );
  }
  const read = operations.map(toOperation);
  const result = cloneJson(document);
  const budget: Budget = { copied: 0, maxCopyBytes, maxDepth };
  for (const operation of read) {
    spend(OPERATION);
    applyOperation(result, operation, budget);
  }
  checkDepth(result, maxDepth);
  return result;
}

interface Budget {
  copied: number;
  readonly maxCopyBytes: number;
  readonly maxDepth: number;
}

interface Operation {
  readonly op: string;
  readonly path: string | undefined;
  readonly from: string | undefined;
  readonly value: unknown;
}

function toOperation(source: unknown): Operation {
  if (source !== null && !isObject(source)) {
    throw wrongKind(source, 'jsonpatch.Operation');
  }
  const text = (key: string): string | undefined => {
    const value = source === null ? undefined : getOwn(source, key);
    return typeof value === 'string' ? value : undefined;
  };
  const value = source === null ? null : (getOwn(source, 'value') ?? null);
  return { op: text('op') ?? 'unknown', path: text('path'), from: text('from'), value };
}

const missing = (message: string): PatchError => new PatchError('unprocessable', `${message}: missing value`);

function applyOperation(document: JsonObject, operation: Operation, budget: Budget): void {
  switch (operation.op) {
    case 'add':
      return add(document, operation);
    case 'remove':
      return remove(document, operation);
    case 'replace':
      return replace(document, operation);
    case 'move':
      return move(document, operation);
    case 'copy':
      return copy(document, operation, budget);
    case 'test':
      return test(document, operation);
    default:
      throw new PatchError('unprocessable', `Unexpected kind: ${operation.op}`);
  }
}

function pathOf({ op, path }: Operation): string {
  if (path === undefined) throw missing(`${op} operation failed to decode path`);
  return path;
}

function fromOf({ op, from }: Operation): string {
  if (from === undefined) throw missing(`${op} operation failed to decode from`);
  return from;
}

function add(document: JsonObject, operation: Operation): void {
  const path = pathOf(operation);
  const place = follow(document, path);
  if (!place) throw missing(`add operation does not apply: doc is missing path: "${path}"`);
  insert(place.container, place.key, cloneJson(operation.value), `error in add for path: '${path}'`);
}

function remove(document: JsonObject, operation: Operation): void {
  const path = pathOf(operation);
  const place = follow(document, path);
  if (!place) throw missing(`remove operation does not apply: doc is missing path: "${path}"`);
  removeFrom(place.container, place.key, `error in remove for path: '${path}'`);
}

function replace(document: JsonObject, operation: Operation): void {
  const path = pathOf(operation);
  const value = cloneJson(operation.value);
  if (path === '') return replaceAll(document, value);
  const place = follow(document, path);
  if (!place) throw missing(`replace operation does not apply: doc is missing path: ${path}`);
  const { container, key } = place;
  if (!Array.isArray(container)) return setOwn(container, key, value);
  const at = itemAt(key, container.length);
  if (at === undefined) throw missing(`replace operation does not apply: doc is missing key: ${path}`);
  container[at] = value;
}

/** Replaces the whole object. Like upstream, ignores a scalar. */
function replaceAll(document: JsonObject, value: unknown): void {
  if (typeof value !== 'object') return;
  if (!isObject(value))
    throw new PatchError('unprocessable', 'replace operation does not leave an object of the document');
  for (const key of Object.keys(document)) delete document[key];
  for (const key of Object.keys(value)) setOwn(document, key, value[key]);
}

function move(document: JsonObject, operation: Operation): void {
  const from = fromOf(operation);
  const source = follow(document, from);
  if (!source) throw missing(`move operation does not apply: doc is missing from path: ${from}`);
  const path = pathOf(operation);
  const value = removeFrom(source.container, source.key, `error in move for path: '${source.key}'`);
  const place = follow(document, path);
  if (!place) throw missing(`move operation does not apply: doc is missing destination path: ${path}`);
  insert(place.container, place.key, value, `error in move for path: '${path}'`);
}

function copy(document: JsonObject, operation: Operation, budget: Budget): void {
  const from = fromOf(operation);
  const source = follow(document, from);
  if (!source) throw missing(`copy operation does not apply: doc is missing from path: ${from}`);
  if (Array.isArray(source.container))
    existingIndex(source.container, source.key, `error in copy for from: '${from}'`);
  const value = childOf(source.container, source.key) ?? null;
  const path = pathOf(operation);
  const place = follow(document, path);
  if (!place) throw missing(`copy operation does not apply: doc is missing destination path: ${path}`);
  chargeTree(value);
  checkDepth(value, budget.maxDepth);
  budget.copied += Buffer.byteLength(writeJson(value));
  if (budget.copied > budget.maxCopyBytes) {
    throw new PatchError(
      'unprocessable',
      `Unable to complete the copy, the accumulated size increase of copy is ${budget.copied}, exceeding the limit ${budget.maxCopyBytes}`,
    );
  }
  insert(place.container, place.key, cloneJson(value), 'error while adding value during copy');
}

function test(document: JsonObject, operation: Operation): void {
  const path = pathOf(operation);
  if (!equalJson(operation.value, path === '' ? document : tested(document, path))) {
    throw new PatchError('test-failed', `testing value ${path} failed: test failed`);
  }
}

function tested(document: JsonObject, path: string): unknown {
  const place = follow(document, path);
  if (!place) throw missing(`test operation does not apply: is missing path: ${path}`);
  const { container, key } = place;
  // A missing index is an error, but a missing key of an object is read as null.
  if (Array.isArray(container)) existingIndex(container, key, `error in test for path: '${path}'`);
  return childOf(container, key) ?? null;
}

function insert(container: Container, key: string, value: unknown, context: string): void {
  if (!Array.isArray(container)) return setOwn(container, key, value);
  if (key === '-') {
    container.push(value);
    return;
  }
  const index = indexOf(key, `${context}: value was not a proper array index: '${key}'`);
  const size = container.length + 1;
  if (index >= size || index < -size) throw invalidIndex(context, index);
  const at = index < 0 ? index + size : index;
  spend((container.length - at) * ITEM_MOVED_UP);
  container.splice(at, 0, value);
}

function removeFrom(container: Container, key: string, context: string): unknown {
  if (!Array.isArray(container)) {
    if (!Object.hasOwn(container, key)) {
      throw missing(`${context}: Unable to remove nonexistent key: ${key}`);
    }
    const value = container[key];
    delete container[key];
    return value;
  }
  const at = existingIndex(container, key, context);
  spend((container.length - at) * ITEM_MOVED_DOWN);
  return container.splice(at, 1)[0];
}

function existingIndex(list: readonly unknown[], key: string, context: string): number {
  const index = indexOf(key, context);
  const at = itemAt(key, list.length);
  if (at === undefined) throw invalidIndex(context, index);
  return at;
}

function indexOf(key: string, context: string): number {
  const index = toIndex(key);
  if (index !== undefined) return index;
  throw new PatchError(
    'unprocessable',
    `${context}: strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`,
  );
}

const invalidIndex = (context: string, index: number): PatchError =>
  new PatchError(
    'unprocessable',
    `${context}: Unable to access invalid index: ${index}: invalid index referenced`,
  );

/**
 * Rejects an object that is nested too deeply. Operations can nest an object deeper than the parser allows.
 * Iterates by level, because recursion could overflow the stack.
 */
function checkDepth(value: unknown, maxDepth: number): void {
  let level: readonly object[] = typeof value === 'object' && value !== null ? [value] : [];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maxDepth) {
      throw new PatchError('unprocessable', `the patched document is nested deeper than ${maxDepth} levels`);
    }
    chargeItems(level.length);
    level = level.flatMap((each) =>
      Object.values(each).filter((child): child is object => typeof child === 'object' && child !== null),
    );
  }
}
