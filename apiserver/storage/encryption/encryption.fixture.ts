import { createSystemRandom } from '../../../base/random/system.ts';
import { orchVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import type { Transformer } from '../transformer.ts';
import { parseConfiguration, providersOf } from './configuration.ts';
import { createEncryption } from './encryption.ts';

const { bytes } = createSystemRandom();

/**
 * Creates the transformer of Secrets from providers in short notation, in order. For example, `aescbc new=1
 * old=2` has two keys whose secrets consist of the bytes 1 and 2; `identity` has no keys. For tests.
 */
export async function secretsBy(...providers: readonly string[]): Promise<Transformer> {
  const configuration = {
    kind: 'EncryptionConfiguration',
    apiVersion: orchVocabulary.apiVersion('apiserver.config', 'v1'),
    resources: [{ resources: ['secrets'], providers: providers.map(providerOf) }],
  };
  const parsed = parseConfiguration(JSON.stringify(configuration), orchVocabulary);
  const list = (await providersOf(parsed, bytes)).get('secrets') ?? [];
  return createEncryption({
    mark: orchVocabulary.encryptionMark,
    providers: new Map([['/registry/core/secrets/', list]]),
  });
}

function providerOf(text: string): object {
  const [provider = '', ...keys] = text.split(' ');
  if (keys.length === 0) return { [provider]: {} };
  return {
    [provider]: {
      keys: keys.map((key) => {
        const [name, fill] = key.split('=');
        return { name, secret: Buffer.alloc(32, Number(fill)).toString('base64') };
      }),
    },
  };
}
