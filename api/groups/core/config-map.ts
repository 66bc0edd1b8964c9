import { sameValue } from '../../kinds/carry-over.ts';
import { ageColumn, column, nameColumn } from '../../kinds/columns.ts';
import type { Column, DeepReadonly, Strategy } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  forbiddenField,
  invalidField,
  mapKey,
  tooLongField,
} from '../../status/field-errors.ts';
import type { ConfigMap } from '../../types/core-v1.ts';
import { DATA_LIMIT, IMMUTABLE_DATA, bytesOf } from './config-data.ts';
import { checked } from '../../validation/metadata.ts';
import { isConfigKey } from '../../validation/names.ts';

type Frozen = DeepReadonly<ConfigMap>;

/** Strategy of ConfigMaps. */
export const configMapStrategy: Strategy<ConfigMap> = {
  validate(next) {
    const { data = {}, binaryData = {} } = next;
    const texts = Object.entries(data);
    const binaries = Object.entries(binaryData);
    const errors: FieldError[] = [];
    for (const [key] of texts) {
      errors.push(...checked(mapKey('data', key), key, isConfigKey));
      if (Object.hasOwn(binaryData, key)) {
        errors.push(invalidField(mapKey('data', key), key, 'duplicate of key present in binaryData'));
      }
    }
    for (const [key] of binaries) errors.push(...checked(mapKey('binaryData', key), key, isConfigKey));
    const size =
      texts.reduce((sum, [, text]) => sum + Buffer.byteLength(text), 0) +
      binaries.reduce((sum, [, text]) => sum + bytesOf(text), 0);
    // Upstream prints an empty path as `[]`.
    if (size > DATA_LIMIT) errors.push(tooLongField('[]', DATA_LIMIT));
    return errors;
  },
  validateUpdate: (next, previous) => validateChange(next, previous),
};

function validateChange(next: Frozen, previous: Frozen): FieldErrors {
  if (previous.immutable !== true) return [];
  const errors: FieldError[] = [];
  if (next.immutable !== true) errors.push(forbiddenField('immutable', IMMUTABLE_DATA));
  for (const field of ['data', 'binaryData'] as const) {
    if (!sameValue(next[field] ?? {}, previous[field] ?? {})) {
      errors.push(forbiddenField(field, IMMUTABLE_DATA));
    }
  }
  return errors;
}

/** Table columns of ConfigMaps. */
export const configMapColumns: readonly Column<ConfigMap>[] = [
  nameColumn,
  column(
    'Data',
    (map) => Object.keys(map.data ?? {}).length + Object.keys(map.binaryData ?? {}).length,
    "Data contains the configuration data. Each key must consist of alphanumeric characters, '-', '_' or '.'. Values with non-UTF-8 byte sequences must use the BinaryData field. The keys stored in Data must not overlap with the keys in the BinaryData field, this is enforced during validation process.",
  ),
  ageColumn,
];
