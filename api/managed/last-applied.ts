import { readJson, writeJson } from '../schema/exact-json.ts';
import { equalJson, getOwn, isObject, setOwn } from '../schema/own.ts';
import { compareValues } from './compare.ts';
import type { ApplyConflicts } from './conflict.ts';
import { type FieldSet, difference, hasPath } from './field-set.ts';
import { appliedFields } from './merge.ts';
import type { Typed } from './typed.ts';
import { checkTyped } from './validate.ts';
import { sortedKeys } from '../schema/go-text.ts';

/** Maximum total size of an object's annotations, in bytes. */
const ANNOTATIONS_LIMIT = 256 * 1024;

function lastAppliedOf(object: unknown, annotation: string): string {
  const annotations = annotationsOf(object);
  const text = annotations && getOwn(annotations, annotation);
  return typeof text === 'string' ? text : '';
}

const annotationsOf = (object: unknown): { readonly [key: string]: unknown } | undefined => {
  const metadata = isObject(object) ? getOwn(object, 'metadata') : undefined;
  const annotations = isObject(metadata) ? getOwn(metadata, 'annotations') : undefined;
  return isObject(annotations) ? annotations : undefined;
};

/**
 * Returns the conflicts except those about fields that client-side apply set and that have not changed since.
 */
export function remainingConflicts(
  { conflicts }: ApplyConflicts,
  live: Typed,
  annotation: string,
): ApplyConflicts['conflicts'] {
  const allowed = fieldsOfLastApplied(live, annotation);
  return allowed ? conflicts.filter(({ path }) => !hasPath(allowed, path)) : conflicts;
}

/**
 * Returns the fields that the annotation lists and the live object still has; undefined if the annotation is
 * missing or unusable.
 */
function fieldsOfLastApplied(live: Typed, annotation: string): FieldSet | undefined {
  const text = lastAppliedOf(live.value, annotation);
  if (text === '') return undefined;
  try {
    const applied: unknown = readJson(text);
    if (!isObject(applied) || getOwn(applied, 'apiVersion') !== live.apiVersion) return undefined;
    checkTyped(live.shape, applied);
    const { modified, added, removed } = compareValues(live.shape, applied, live.value);
    return [modified, added, removed].reduce(difference, appliedFields(live.shape, applied));
  } catch {
    // Clients may write anything into the annotation, so an unusable annotation counts as missing.
    return undefined;
  }
}

/**
 * Returns `object` with the applied configuration in the annotation. Removes the annotation if the
 * annotations would exceed their maximum size.
 */
export function withLastApplied(object: unknown, applied: unknown, annotation: string): unknown {
  if (lastAppliedOf(object, annotation) === '' || !isObject(object)) return object;
  const metadata = getOwn(object, 'metadata');
  const annotations = { ...annotationsOf(object) };
  setOwn(annotations, annotation, `${writeJson(withoutAnnotation(applied, annotation), sortedKeys)}\n`);
  const size = Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(value)),
    0,
  );
  if (size > ANNOTATIONS_LIMIT) delete annotations[annotation];
  if (equalJson(annotations, annotationsOf(object))) return object;
  return { ...object, metadata: { ...(isObject(metadata) ? metadata : {}), annotations } };
}

function withoutAnnotation(applied: unknown, annotation: string): unknown {
  const annotations = annotationsOf(applied);
  if (!isObject(applied) || !annotations || !Object.hasOwn(annotations, annotation)) return applied;
  const { [annotation]: _own, ...others } = annotations;
  return { ...applied, metadata: { ...(applied['metadata'] as object), annotations: others } };
}
