import { type AnyKind, type Scheme, storedKindOf } from '../../api/kinds/index.ts';
import { storagePrefix } from '../../apiserver/registry/index.ts';
import {
  type Provider,
  createEncryption,
  parseConfiguration,
  providersOf,
} from '../../apiserver/storage/encryption/index.ts';
import type { Transformer } from '../../apiserver/storage/index.ts';
import type { Random } from '../../base/random/index.ts';
import { readParsed } from '../files/files.ts';
import { UsageError } from '../flags/flags.ts';

interface Surroundings {
  readonly scheme: Scheme;
  readonly random: Random;
}

/**
 * Reads the encryption configuration at `path`. An empty path yields a configuration without resources, with
 * which reads of encrypted values still fail. Throws a `CodedError` for an unusable file, and `UsageError`
 * for a resource that is not stored.
 */
export async function readEncryption(path: string, { scheme, random }: Surroundings): Promise<Transformer> {
  const { vocabulary } = scheme;
  const mark = vocabulary.encryptionMark;
  if (path === '') return createEncryption({ mark, providers: new Map() });
  const configuration = await readParsed(path, 'an encryption configuration', (text) =>
    parseConfiguration(text, vocabulary),
  );
  const byResource = await providersOf(configuration, (length) => random.bytes(length));
  const providers = new Map<string, readonly Provider[]>();
  for (const [resource, list] of byResource) {
    const prefix = prefixOf(scheme, resource);
    providers.set(prefix, [...(providers.get(prefix) ?? []), ...list]);
  }
  return createEncryption({ mark, providers });
}

/**
 * Returns the prefix of the storage keys of a resource such as `secrets`, `deployments.apps` or a custom
 * resource. The custom resource need not exist yet. Throws `UsageError` for a resource that its built-in
 * group lacks.
 */
function prefixOf(scheme: Scheme, resource: string): string {
  const { vocabulary } = scheme;
  const dot = resource.indexOf('.');
  const [plural, served] = dot < 0 ? [resource, ''] : [resource.slice(0, dot), resource.slice(dot + 1)];
  const group = vocabulary.plainGroup(served);
  const siblings = scheme.kinds.filter((kind) => kind.group === group);
  const kind = siblings.find((each) => each.plural === plural && isStored(each));
  if (kind) return storagePrefix(scheme, kind);
  if (siblings.length > 0)
    throw new UsageError(
      `the encryption configuration names ${JSON.stringify(resource)}, which is no stored resource of ${group === '' ? 'the core group' : served}: use a plural such as secrets`,
    );
  return `/registry/${served}/${plural}/`;
}

const isStored = (kind: AnyKind): boolean => storedKindOf(kind).virtual !== true;
