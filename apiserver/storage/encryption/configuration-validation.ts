import {
  type FieldError,
  type FieldErrors,
  child,
  index,
  invalidField,
  requiredField,
} from '../../../api/status/index.ts';
import type {
  EncryptionConfiguration,
  Key,
  KeyedProvider,
  ProviderConfiguration,
  ResourceConfiguration,
} from './configuration-types.ts';

const AES_KEY_BYTES = [16, 24, 32];

/** Accepted lengths of a key's secret in bytes, by provider. */
const KEY_BYTES = { aesgcm: AES_KEY_BYTES, aescbc: AES_KEY_BYTES, secretbox: [32] } as const;

export const keyedProviders = ['aesgcm', 'aescbc', 'secretbox'] as const;

/** Replacement for secrets in error messages. */
const REDACTED = 'REDACTED';

/**
 * Returns the errors of a configuration, in upstream's words and without secrets
 * (https://github.com/kubernetes/kubernetes/blob/release-1.24/staging/src/k8s.io/apiserver/pkg/apis/config/validation/validation.go).
 */
export const validateConfiguration = ({ resources }: EncryptionConfiguration): FieldErrors =>
  resources.length === 0
    ? [requiredField('resources', 'at least one resources is required')]
    : resources.flatMap((each, at) => resourceErrors(each, index('resources', at)));

function resourceErrors({ resources, providers }: ResourceConfiguration, path: string): FieldErrors {
  const [named, listed] = [child(path, 'resources'), child(path, 'providers')];
  return [
    ...(resources.length === 0 ? [requiredField(named, `at least one ${named} is required`)] : []),
    ...resources.flatMap((resource, at) =>
      resource.includes('*')
        ? [
            invalidField(
              index(named, at),
              resource,
              'wildcards require release 1.27: name each resource, such as secrets or deployments.apps',
            ),
          ]
        : [],
    ),
    ...(providers.length === 0 ? [requiredField(listed, `at least one ${listed} is required`)] : []),
    ...providers.flatMap((provider, at) => providerErrors(provider, index(listed, at))),
  ];
}

function providerErrors(provider: ProviderConfiguration, path: string): FieldErrors {
  const given = Object.values(provider).filter((each) => each !== undefined);
  const shown = `{${Object.keys(provider).join(', ')}}`;
  if (given.length === 0)
    return [requiredField(path, 'one of aesgcm, aescbc, secretbox and identity is required')];
  if (given.length > 1)
    return [
      invalidField(
        path,
        shown,
        'more than one provider specified in a single element, should split into different list elements',
      ),
    ];
  if (provider.kms)
    return [
      invalidField(child(path, 'kms'), REDACTED, 'KMS is not supported: use aesgcm, aescbc or secretbox'),
    ];
  return keyedProviders.flatMap((name) =>
    provider[name] ? keysErrors(provider[name], child(path, name, 'keys'), KEY_BYTES[name]) : [],
  );
}

function keysErrors({ keys }: KeyedProvider, path: string, lengths: readonly number[]): FieldErrors {
  if (keys.length === 0) return [requiredField(path, `at least one ${path} is required`)];
  return keys.flatMap((key, at) => keyErrors(key, index(path, at), lengths));
}

function keyErrors({ name, secret }: Key, path: string, lengths: readonly number[]): FieldErrors {
  const nameErrors: FieldError[] =
    name === '' ? [requiredField(child(path, 'name'), 'name is a mandatory field for a key')] : [];
  const field = child(path, 'secret');
  if (secret === '') return [...nameErrors, requiredField(field, 'secret is a mandatory field for a key')];
  const bytes = decodeSecret(secret);
  if (bytes === undefined)
    return [...nameErrors, invalidField(field, REDACTED, 'secrets must be base64 encoded')];
  if (!lengths.includes(bytes.length))
    nameErrors.push(
      invalidField(
        field,
        REDACTED,
        `secret is not of the expected length, got ${bytes.length}, expected one of [${lengths.join(' ')}]`,
      ),
    );
  return nameErrors;
}

/**
 * Decodes standard base64 with padding. Line breaks are ignored, as by Go's `StdEncoding`. Returns undefined
 * for any other input.
 */
export function decodeSecret(secret: string): Buffer | undefined {
  const text = secret.replace(/[\r\n]/g, '');
  const bytes = Buffer.from(text, 'base64');
  return /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 === 0 ? bytes : undefined;
}
