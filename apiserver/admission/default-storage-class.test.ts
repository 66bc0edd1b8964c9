import { describe, expect, it } from 'vitest';
import { persistentVolumeClaims } from '../../api/groups/index.ts';
import type { PersistentVolumeClaim } from '../../api/types/core-v1-persistent-volume.ts';
import type { StorageClass } from '../../api/types/storage-v1.ts';
import { kubernetesVocabulary as v } from '../../api/vocabulary/vocabulary.ts';
import { fixtureReader } from '../authorization/reader.fixture.ts';
import { createDefaultStorageClass } from './default-storage-class.ts';
import { admit } from './request.fixture.ts';

const KEY = 'storageclass.kubernetes.io/is-default-class';
const storageClass = (name: string, annotations: Record<string, string> = {}): StorageClass => ({
  metadata: { name, annotations },
  provisioner: 'p',
});
const marked = storageClass('fast', { [KEY]: 'true' });
const claim = (over: PersistentVolumeClaim = {}): PersistentVolumeClaim => ({
  spec: {},
  ...over,
  metadata: { name: 'data', ...over.metadata },
});
const run = async (classes: StorageClass[], object: PersistentVolumeClaim): Promise<string | undefined> => {
  const plugin = createDefaultStorageClass({ storageClasses: fixtureReader(classes), vocabulary: v });
  const given = { kind: persistentVolumeClaims, object };
  return (await admit<PersistentVolumeClaim>(plugin, given)).spec?.storageClassName;
};

describe('DefaultStorageClass', () => {
  it.each<[string, StorageClass[], PersistentVolumeClaim, string | undefined]>([
    ['the default class', [storageClass('slow'), marked], claim(), 'fast'],
    [
      'the class with the deprecated annotation',
      [storageClass('old', { 'storageclass.beta.kubernetes.io/is-default-class': 'true' })],
      claim(),
      'old',
    ],
    ['none if no class is marked', [storageClass('slow')], claim(), undefined],
    ['none if the annotation is not true', [storageClass('slow', { [KEY]: 'false' })], claim(), undefined],
    ['its own class', [marked], claim({ spec: { storageClassName: 'slow' } }), 'slow'],
    ['no class if it requests none', [marked], claim({ spec: { storageClassName: '' } }), ''],
    [
      'none if the deprecated annotation names one',
      [marked],
      claim({ metadata: { annotations: { 'volume.beta.kubernetes.io/storage-class': 'old' } } }),
      undefined,
    ],
  ])('sets the class of a claim to %s', async (_what, classes, object, expected) => {
    expect(await run(classes, object)).toBe(expected);
  });

  it('rejects a claim without a class if two classes are marked', async () => {
    const two = [marked, storageClass('faster', { [KEY]: 'true' })];
    await expect(run(two, claim())).rejects.toMatchObject({
      code: 403,
      message:
        'persistentvolumeclaims "data" is forbidden: Internal error occurred: 2 default StorageClasses were found',
    });
    expect(await run(two, claim({ spec: { storageClassName: 'slow' } }))).toBe('slow');
  });

  it('ignores updates', () => {
    const plugin = createDefaultStorageClass({
      storageClasses: fixtureReader<StorageClass>(),
      vocabulary: v,
    });
    expect(plugin.operations).toEqual(['CREATE']);
  });
});
