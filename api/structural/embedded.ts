import { getOwn, isObject } from '../schema/own.ts';
import { type FieldErrors, child, index, mapKey, requiredField } from '../status/field-errors.ts';
import type { ObjectMeta } from '../types/meta-v1.ts';
import { validateObjectMeta } from '../validation/metadata.ts';
import { isDns1035Label } from '../validation/names.ts';
import { invalidAt } from './problems.ts';
import type { Structural } from './structural.ts';

/**
 * Validates kind, apiVersion and metadata of embedded objects, like `objectmeta.Validate` of release 1.24.
 */
export function validateEmbedded(node: Structural, value: unknown, path = ''): FieldErrors {
  if (!hasEmbedded(node)) return [];
  if (Array.isArray(value)) {
    const { items } = node;
    return items ? value.flatMap((item, at) => validateEmbedded(items, item, index(path, at))) : [];
  }
  if (!isObject(value)) return [];
  const own = node.embedded ? validateObject(value, path) : [];
  return [
    ...own,
    ...Object.keys(value).flatMap((key) => {
      const property = node.properties.get(key);
      if (property) return validateEmbedded(property, value[key], child(path, key));
      const other = node.additional;
      return other && other !== true ? validateEmbedded(other, value[key], mapKey(path, key)) : [];
    }),
  ];
}

const known = new WeakMap<Structural, boolean>();

/** True if an object of the schema may contain embedded objects. */
export function hasEmbedded(node: Structural): boolean {
  const before = known.get(node);
  if (before !== undefined) return before;
  const parts = [
    ...node.properties.values(),
    node.items,
    node.additional === true ? undefined : node.additional,
  ];
  const found = node.embedded || parts.some((part) => part && hasEmbedded(part));
  known.set(node, found);
  return found;
}

const EMPTY = 'must not be empty';

function validateObject(object: { readonly [key: string]: unknown }, path: string): FieldErrors {
  const metadata = getOwn(object, 'metadata');
  return [
    ...validateApiVersion(getOwn(object, 'apiVersion'), child(path, 'apiVersion')),
    ...validateKind(getOwn(object, 'kind'), child(path, 'kind')),
    ...(isObject(metadata) ? validateMetadata(metadata as ObjectMeta, child(path, 'metadata')) : []),
  ];
}

function validateApiVersion(apiVersion: unknown, path: string): FieldErrors {
  if (apiVersion === undefined) return [requiredField(path, EMPTY)];
  if (apiVersion === '') return [invalidAt(path, apiVersion, EMPTY)];
  if (typeof apiVersion !== 'string') return [invalidAt(path, apiVersion, 'must be a string')];
  return apiVersion.split('/').length > 2
    ? [invalidAt(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)]
    : [];
}

function validateKind(kind: unknown, path: string): FieldErrors {
  if (kind === undefined) return [requiredField(path, EMPTY)];
  if (kind === '') return [invalidAt(path, kind, EMPTY)];
  if (typeof kind !== 'string') return [invalidAt(path, kind, 'must be a string')];
  const complaints = isDns1035Label(kind.toLowerCase());
  return complaints.length === 0
    ? []
    : [invalidAt(path, kind, `may have mixed case, but should otherwise match: ${complaints.join(',')}`)];
}

/** Validates metadata, but allows a missing name. */
const validateMetadata = (metadata: ObjectMeta, path: string): FieldErrors =>
  validateObjectMeta(
    { ...metadata, name: metadata.name || 'fakename' },
    { namespaced: Boolean(metadata.namespace), nameRule: 'path-segment', path },
  );
