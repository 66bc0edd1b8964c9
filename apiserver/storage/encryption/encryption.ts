import { StorageError } from '../storage.ts';
import type { Transformed, Transformer } from '../transformer.ts';
import type { Provider, ProviderKey, ProviderName } from './provider.ts';

/** Thrown for a value that no configured key decrypts. */
export class UndecryptableValue extends StorageError {
  constructor(key: string, why: string) {
    super('ERR_BROKEN_VALUE', `the value at ${key} cannot be read: ${why}`);
  }
}

export interface EncryptionOptions {
  /** Prefix of every encrypted value, such as `orch:enc:`. */
  readonly mark: string;
  /**
   * Providers by prefix of the storage key, such as `/registry/core/secrets/`. The first provider of a prefix
   * encrypts, and all its providers decrypt. Values with other prefixes are stored in plain text.
   */
  readonly providers: ReadonlyMap<string, readonly Provider[]>;
}

/**
 * Creates the encryption of the configured prefixes. Without providers it rejects encrypted values, so that a
 * server without keys never serves ciphertext.
 */
export function createEncryption({ mark, providers }: EncryptionOptions): Transformer {
  const start = Buffer.from(mark);
  const chains = new Map([...providers].map(([prefix, list]) => [prefix, new Chain(mark, list)]));
  const plain = new Chain(mark, [{ name: 'identity', keys: [] }]);
  const chainOf = (key: string): Chain => chains.get(prefixOf(key)) ?? plain;
  return {
    toStorage:
      chains.size === 0 ? (_key, value) => value : (key, value) => chainOf(key).toStorage(key, value),
    fromStorage: (key, stored) => chainOf(key).fromStorage(key, stored, startsWith(stored, start)),
  };
}

const startsWith = (bytes: Buffer, start: Buffer): boolean =>
  bytes.length >= start.length && start.compare(bytes, 0, start.length) === 0;

/**
 * Returns the first three segments of a key: `/registry/core/secrets/` for
 * `/registry/core/secrets/default/a`.
 */
function prefixOf(key: string): string {
  let end = 0;
  for (let slashes = 0; slashes < 3; slashes++) end = key.indexOf('/', end + 1);
  return key.slice(0, end + 1);
}

interface Labelled extends ProviderKey {
  /** Prefix of the values encrypted with this key: `orch:enc:aescbc:v1:key1:`. */
  readonly label: Buffer;
  readonly provider: ProviderName;
}

/** Providers of one key prefix, in the order of the configuration. */
class Chain {
  readonly #keys: readonly Labelled[];
  readonly #first: Labelled | undefined;
  readonly #readsPlain: boolean;

  constructor(mark: string, providers: readonly Provider[]) {
    const labelled = providers.map(({ name: provider, keys }) =>
      keys.map((key) => ({ ...key, provider, label: Buffer.from(`${mark}${provider}:v1:${key.name}:`) })),
    );
    this.#keys = labelled.flat();
    // Undefined if the first provider is `identity`, which has no key.
    this.#first = labelled[0]?.[0];
    this.#readsPlain = providers.some(({ name }) => name === 'identity');
  }

  toStorage(key: string, value: Buffer): Buffer {
    if (this.#first === undefined) return value;
    const { label, cipher } = this.#first;
    return Buffer.concat([label, cipher.encrypt(key, value)]);
  }

  fromStorage(key: string, stored: Buffer, isEncrypted: boolean): Transformed {
    if (!isEncrypted) {
      if (this.#readsPlain) return { value: stored, isStale: this.#first !== undefined };
      throw new UndecryptableValue(
        key,
        'it is not encrypted and its resource has no identity provider; add one to the encryption configuration',
      );
    }
    const candidates = this.#keys.filter(({ label }) => startsWith(stored, label));
    for (const candidate of candidates) {
      const value = candidate.cipher.decrypt(key, stored.subarray(candidate.label.length));
      if (value) return { value, isStale: candidate !== this.#first };
    }
    throw new UndecryptableValue(key, whyNot(stored, candidates));
  }
}

/**
 * Returns the reason why a value cannot be decrypted. The reason names the key that encrypted the value if
 * its label (`aescbc:v1:key1`) is short and printable.
 */
function whyNot(stored: Buffer, candidates: readonly Labelled[]): string {
  const [found] = candidates;
  if (found !== undefined)
    return `key ${found.name} of ${found.provider} in the encryption configuration has another secret than it was encrypted with, or the value is damaged`;
  const parts = stored.toString('latin1', 0, 512).split(':', 5);
  const [, , provider = '', , name = ''] = parts;
  const isLegible = parts.length === 5 && /^[\w.-]+$/.test(provider + name);
  const wanted = isLegible ? `key ${name} of ${provider}` : 'its key';
  return `it is encrypted and ${wanted} is not in the encryption configuration of its resource`;
}
