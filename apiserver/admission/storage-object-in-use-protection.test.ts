import { describe, expect, it } from 'vitest';
import { persistentVolumeClaims, persistentVolumes, pods } from '../../api/groups/index.ts';
import type { AnyKind } from '../../api/kinds/scheme.ts';
import { kubernetesVocabulary, orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { admit } from './request.fixture.ts';
import { createStorageObjectInUseProtection } from './storage-object-in-use-protection.ts';

const plugin = createStorageObjectInUseProtection(kubernetesVocabulary);
const claims = persistentVolumeClaims as unknown as AnyKind;
const volumes = persistentVolumes as unknown as AnyKind;

const finalizersOf = async (kind: AnyKind, finalizers?: string[], on = plugin) =>
  (await admit(on, { kind, object: { metadata: { name: 'x', ...(finalizers && { finalizers }) } } })).metadata
    ?.finalizers;

describe('StorageObjectInUseProtection', () => {
  it.each([
    ['claim', claims, 'kubernetes.io/pvc-protection'],
    ['volume', volumes, 'kubernetes.io/pv-protection'],
  ] as const)(
    'adds the finalizer of a new %s once, after its existing finalizers',
    async (_what, kind, finalizer) => {
      expect(await finalizersOf(kind)).toEqual([finalizer]);
      expect(await finalizersOf(kind, ['example.com/mine'])).toEqual(['example.com/mine', finalizer]);
      expect(await finalizersOf(kind, [finalizer, 'example.com/mine'])).toEqual([
        finalizer,
        'example.com/mine',
      ]);
    },
  );

  it('uses the vocabulary of the server', async () => {
    expect(await finalizersOf(claims, undefined, createStorageObjectInUseProtection(orchVocabulary))).toEqual(
      ['orch.io/pvc-protection'],
    );
  });

  it('ignores other kinds, updates and subresources', async () => {
    expect(plugin.concerns?.(pods)).toBe(false);
    expect(plugin.operations).toEqual(['CREATE']);
    const status = await admit(plugin, { kind: claims, subresource: 'status', object: { metadata: {} } });
    expect(status).toEqual({ metadata: {} });
  });
});
