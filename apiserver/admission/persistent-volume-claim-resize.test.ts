import { describe, expect, it } from 'vitest';
import { persistentVolumeClaims } from '../../api/groups/index.ts';
import type { AnyKind } from '../../api/kinds/scheme.ts';
import type { PersistentVolumeClaim } from '../../api/types/core-v1-persistent-volume.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { fixtureReader } from '../authorization/reader.fixture.ts';
import { createPersistentVolumeClaimResize } from './persistent-volume-claim-resize.ts';
import { admit } from './request.fixture.ts';

const plugin = createPersistentVolumeClaimResize({
  storageClasses: fixtureReader([
    { metadata: { name: 'elastic' }, provisioner: 'p', allowVolumeExpansion: true },
    { metadata: { name: 'rigid' }, provisioner: 'p', allowVolumeExpansion: false },
    { metadata: { name: 'silent' }, provisioner: 'p' },
  ]),
  vocabulary: kubernetesVocabulary,
});
const claim = (
  storage: string,
  storageClassName = 'elastic',
  phase: 'Bound' | 'Pending' = 'Bound',
): PersistentVolumeClaim => ({
  metadata: { name: 'data' },
  spec: { resources: { requests: { storage } }, ...(storageClassName && { storageClassName }) },
  status: { phase },
});
const update = (object: PersistentVolumeClaim, previous: PersistentVolumeClaim, subresource = '') =>
  admit(plugin, {
    kind: persistentVolumeClaims as unknown as AnyKind,
    operation: 'UPDATE',
    object,
    previous,
    subresource,
  });

describe('PersistentVolumeClaimResize', () => {
  it('admits growth if the class allows it, and every update without growth', async () => {
    await update(claim('2Gi'), claim('1Gi'));
    await update(claim('1Gi', 'rigid'), claim('1024Mi', 'rigid'));
    await update(claim('1Gi', 'rigid', 'Pending'), claim('2Gi', 'rigid', 'Pending'));
    await update(claim('2Gi', 'rigid'), claim('1Gi', 'rigid'), 'status');
  });

  it('reads the class from the deprecated annotation', async () => {
    const annotated = (storage: string): PersistentVolumeClaim => ({
      ...claim(storage, ''),
      metadata: { name: 'data', annotations: { 'volume.beta.kubernetes.io/storage-class': 'elastic' } },
    });
    await update(annotated('2Gi'), annotated('1Gi'));
  });

  const unsupported =
    'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';
  it.each<[string, PersistentVolumeClaim, PersistentVolumeClaim, string]>([
    [
      'a claim that is not bound',
      claim('2Gi'),
      claim('1Gi', 'elastic', 'Pending'),
      'Only bound persistent volume claims can be expanded',
    ],
    ['a class that forbids it', claim('2Gi', 'rigid'), claim('1Gi', 'rigid'), unsupported],
    ['a class without the setting', claim('2Gi', 'silent'), claim('1Gi', 'silent'), unsupported],
    ['a missing class', claim('2Gi', 'gone'), claim('1Gi', 'gone'), unsupported],
    ['no class', claim('2Gi', ''), claim('1Gi', ''), unsupported],
    ['a changed class', claim('2Gi'), claim('1Gi', 'rigid'), unsupported],
  ])('rejects growth of %s', async (_what, next, previous, message) => {
    await expect(update(next, previous)).rejects.toMatchObject({
      code: 403,
      message: `persistentvolumeclaims "data" is forbidden: ${message}`,
    });
  });
});
