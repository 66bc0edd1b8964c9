import { DecodeError, decode, isObject } from '../../../api/schema/index.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { CodedError } from '../../../base/errors/index.ts';
import { YamlSyntax, parseYaml } from '../../../api/yaml/index.ts';
import { createAesCbc, createAesGcm, loadSecretbox } from './ciphers.ts';
import { EncryptionConfiguration, type ProviderConfiguration } from './configuration-types.ts';
import { decodeSecret, keyedProviders, validateConfiguration } from './configuration-validation.ts';
import type { Cipher, Provider, RandomBytes } from './provider.ts';
import { aggregateMessages } from '../../aggregate-messages.ts';

export type EncryptionErrorCode = 'ERR_ENCRYPTION_CONFIGURATION';

/** Thrown for an invalid configuration. The message names the field and what is accepted, never a secret. */
class ConfigurationError extends CodedError<EncryptionErrorCode> {
  constructor(message: string) {
    super('ERR_ENCRYPTION_CONFIGURATION', message);
  }
}

const GROUP = 'apiserver.config';
const KIND = 'EncryptionConfiguration';

/**
 * Parses a configuration in YAML or JSON. Throws an error with code ERR_ENCRYPTION_CONFIGURATION and without
 * a cause: error messages of parsers quote their input, which contains secrets.
 */
export function parseConfiguration(text: string, vocabulary: Vocabulary): EncryptionConfiguration {
  const configuration = decoded(parsed(text), vocabulary.apiVersion(GROUP, 'v1'));
  const errors = validateConfiguration(configuration).map(({ field, message }) => `${field}: ${message}`);
  if (errors.length > 0) throw new ConfigurationError(aggregateMessages(errors));
  return configuration;
}

function parsed(text: string): unknown {
  try {
    return parseYaml(text);
  } catch (thrown) {
    if (!(thrown instanceof YamlSyntax)) throw thrown;
    const [place] = /\bline \d+/.exec(thrown.message) ?? [];
    throw new ConfigurationError(`it is neither YAML nor JSON${place === undefined ? '' : ` (${place})`}`);
  }
}

function decoded(document: unknown, version: string): EncryptionConfiguration {
  const { kind, apiVersion } = isObject(document) ? document : {};
  if (kind !== KIND || apiVersion !== version)
    throw new ConfigurationError(`expected kind ${KIND} in version ${version}`);
  try {
    const { value, unknown } = decode<EncryptionConfiguration>(EncryptionConfiguration, document);
    const [field] = unknown;
    if (field !== undefined) throw new ConfigurationError(`unknown field ${JSON.stringify(field)}`);
    return withLists(value);
  } catch (thrown) {
    if (thrown instanceof DecodeError) throw new ConfigurationError('a field has a value of the wrong type');
    throw thrown;
  }
}

/** Returns the configuration with empty lists in place of missing ones. */
const withLists = ({ resources, ...rest }: EncryptionConfiguration): EncryptionConfiguration => ({
  ...rest,
  resources: (resources ?? []).map((each) => ({
    resources: each.resources ?? [],
    providers: (each.providers ?? []).map(withKeys),
  })),
});

function withKeys(provider: ProviderConfiguration): ProviderConfiguration {
  const filled: ProviderConfiguration = { ...provider };
  for (const name of keyedProviders)
    if (provider[name])
      filled[name] = {
        keys: (provider[name].keys ?? []).map(({ name: key, secret }) => ({
          name: key ?? '',
          secret: secret ?? '',
        })),
      };
  return filled;
}

/**
 * Returns the providers by resource (`secrets`, `deployments.apps`), in the order of the configuration. The
 * first provider of a resource encrypts its objects.
 */
export async function providersOf(
  { resources }: EncryptionConfiguration,
  random: RandomBytes,
): Promise<ReadonlyMap<string, readonly Provider[]>> {
  const byResource = new Map<string, readonly Provider[]>();
  for (const { resources: names, providers } of resources) {
    const made = await Promise.all(providers.map((provider) => providerOf(provider, random)));
    for (const name of names) byResource.set(name, [...(byResource.get(name) ?? []), ...made]);
  }
  return byResource;
}

type CipherMaker = (secret: Uint8Array, random: RandomBytes) => Cipher;

const ciphers: Readonly<Record<(typeof keyedProviders)[number], () => Promise<CipherMaker>>> = {
  aesgcm: async () => createAesGcm,
  aescbc: async () => createAesCbc,
  secretbox: loadSecretbox,
};

async function providerOf(provider: ProviderConfiguration, random: RandomBytes): Promise<Provider> {
  for (const name of keyedProviders) {
    const { keys } = provider[name] ?? {};
    if (keys === undefined) continue;
    const create = await ciphers[name]();
    const cipherOf = (secret: string): Cipher => create(decodeSecret(secret) ?? Buffer.alloc(0), random);
    return { name, keys: keys.map((key) => ({ name: key.name, cipher: cipherOf(key.secret) })) };
  }
  return { name: 'identity', keys: [] };
}
