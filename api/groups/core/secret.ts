import { ageColumn, column, nameColumn } from '../../kinds/columns.ts';
import type { Column, DeepReadonly, Strategy } from '../../kinds/kind.ts';
import { carryOver, sameValue } from '../../kinds/carry-over.ts';
import {
  type FieldError,
  type FieldErrors,
  forbiddenField,
  invalidField,
  mapKey,
  requiredField,
  tooLongField,
} from '../../status/field-errors.ts';
import type { Secret } from '../../types/core-v1.ts';
import { DATA_LIMIT, IMMUTABLE_DATA, bytesOf } from './config-data.ts';
import { IMMUTABLE, checked } from '../../validation/metadata.ts';
import { isConfigKey } from '../../validation/names.ts';
import type { Vocabulary } from '../../vocabulary/vocabulary.ts';

type Frozen = DeepReadonly<Secret>;

const REDACTED = '<secret contents redacted>';

/** Strategy of Secrets. */
export const secretStrategy: Strategy<Secret> = {
  defaults(secret) {
    secret.type ||= 'Opaque';
    if (secret.stringData === undefined) return;
    const written = Object.entries(secret.stringData).map(([key, text]) => [key, encoded(text)]);
    secret.data = { ...secret.data, ...Object.fromEntries(written) };
    delete secret.stringData;
  },
  prepareForUpdate(next, previous) {
    if (!next.type) carryOver(next, previous, 'type');
  },
  validate: (next, { vocabulary }) => [...validateData(next), ...validateType(next, vocabulary)],
  validateUpdate: (next, previous) => validateChange(next, previous),
};

const encoded = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

function validateData(secret: Frozen): FieldErrors {
  const entries = Object.entries(secret.data ?? {});
  const errors = entries.flatMap(([key]) => checked(mapKey('data', key), key, isConfigKey));
  const size = entries.reduce((sum, [, text]) => sum + bytesOf(text), 0);
  return size > DATA_LIMIT ? [...errors, tooLongField('data', DATA_LIMIT)] : errors;
}

/** Validates the keys that each built-in type of Secret requires (`ValidateSecret` in Kubernetes 1.24). */
function validateType(secret: Frozen, vocabulary: Vocabulary): FieldErrors {
  const data = secret.data ?? {};
  const requires = (...keys: readonly string[]): FieldErrors =>
    keys.filter((key) => !Object.hasOwn(data, key)).map((key) => requiredField(mapKey('data', key)));
  switch (secret.type) {
    case vocabulary.secretTypes.serviceAccountToken: {
      const name = secret.metadata?.annotations?.[vocabulary.serviceAccountName];
      return name ? [] : [requiredField(mapKey('metadata.annotations', vocabulary.serviceAccountName))];
    }
    case vocabulary.key('', 'dockercfg'):
      return validateJson(data, '.dockercfg');
    case vocabulary.key('', 'dockerconfigjson'):
      return validateJson(data, '.dockerconfigjson');
    case vocabulary.key('', 'basic-auth'):
      return Object.hasOwn(data, 'username') || Object.hasOwn(data, 'password')
        ? []
        : [requiredField('data[%s][username]'), requiredField('data[%s][password]')];
    case vocabulary.key('', 'ssh-auth'):
      return data['ssh-privatekey'] ? [] : [requiredField('data[%s][ssh-privatekey]')];
    case vocabulary.key('', 'tls'):
      return requires('tls.crt', 'tls.key');
    default:
      return [];
  }
}

function validateJson(data: { readonly [key: string]: string }, key: string): FieldErrors {
  const text = Object.hasOwn(data, key) ? data[key] : undefined;
  if (text === undefined) return [requiredField(mapKey('data', key))];
  const problem = jsonProblem(Buffer.from(text, 'base64').toString('utf8'));
  return problem === undefined ? [] : [invalidField(mapKey('data', key), REDACTED, problem)];
}

/** Returns the error of Go's decoder for a string that is not a JSON object; undefined if it is one. */
function jsonProblem(text: string): string | undefined {
  const first = text.trimStart()[0];
  if (first === undefined) return 'unexpected end of JSON input';
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && !Array.isArray(parsed)) return undefined;
    const type = Array.isArray(parsed) ? 'array' : typeof parsed === 'boolean' ? 'bool' : typeof parsed;
    return `json: cannot unmarshal ${type} into Go value of type map[string]interface {}`;
  } catch {
    return /[[{"\-\dtfn]/.test(first)
      ? 'unexpected end of JSON input'
      : `invalid character '${first}' looking for beginning of value`;
  }
}

function validateChange(next: Frozen, previous: Frozen): FieldErrors {
  const errors: FieldError[] = [];
  if (next.type !== previous.type) errors.push(invalidField('type', next.type ?? '', IMMUTABLE));
  if (previous.immutable !== true) return errors;
  if (next.immutable !== true) errors.push(forbiddenField('immutable', IMMUTABLE_DATA));
  if (!sameValue(next.data ?? {}, previous.data ?? {})) errors.push(forbiddenField('data', IMMUTABLE_DATA));
  return errors;
}

/** Table columns of Secrets. */
export const secretColumns: readonly Column<Secret>[] = [
  nameColumn,
  column('Type', (secret) => secret.type ?? '', 'Used to facilitate programmatic handling of secret data.'),
  column(
    'Data',
    (secret) => Object.keys(secret.data ?? {}).length,
    "Data contains the secret data. Each key must consist of alphanumeric characters, '-', '_' or '.'. The serialized form of the secret data is a base64 encoded string, representing the arbitrary (possibly non-string) data value here. Described in https://tools.ietf.org/html/rfc4648#section-4",
  ),
  ageColumn,
];

/** Field selectors of Secrets. */
export const secretFields = { type: (secret: Frozen) => secret.type ?? '' };
