import type { DeepReadonly } from '../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  index,
  invalidField,
  tooLongField,
} from '../status/field-errors.ts';
import { isGoPrintable } from '../status/go-quote.ts';
import type { ManagedFieldsEntry } from '../types/meta-v1.ts';

/** Maximum length of a field manager's name, in bytes. */
export const MANAGER_LIMIT = 128;
const SUBRESOURCE_LIMIT = 256;

/**
 * Checks the rules of `ValidateManagedFields` in Kubernetes 1.24. The caller has already replaced entries
 * that cannot be decoded.
 */
export function validateManagedFields(
  entries: readonly DeepReadonly<ManagedFieldsEntry>[],
  path: string,
): FieldErrors {
  const errors: FieldError[] = [];
  for (const [at, { manager = '', subresource = '' }] of entries.entries()) {
    if (!isPlain(manager)) errors.push(...validateManager(manager, child(index(path, at), 'manager')));
    if (Buffer.byteLength(subresource) > SUBRESOURCE_LIMIT)
      errors.push(tooLongField(child(index(path, at), 'subresource'), SUBRESOURCE_LIMIT));
  }
  return errors;
}

const isPlain = (manager: string): boolean => manager.length <= MANAGER_LIMIT && /^[ -~]*$/.test(manager);

/** Validates the name of a field manager (`ValidateFieldManager` in Kubernetes 1.24). */
export function validateManager(manager: string, path: string): FieldErrors {
  const errors: FieldError[] = [];
  if (Buffer.byteLength(manager) > MANAGER_LIMIT) errors.push(tooLongField(path, MANAGER_LIMIT));
  let at = 0;
  for (const character of manager) {
    if (!isGoPrintable(character))
      errors.push(
        invalidField(path, manager, `invalid character ${codePoint(character)} (at position ${String(at)})`),
      );
    at += Buffer.byteLength(character);
  }
  return errors;
}

const codePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
