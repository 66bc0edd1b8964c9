import { describe, expect, it } from 'vitest';
import { configMaps, namespaces } from '../../api/groups/core-v1.ts';
import type { Namespace } from '../../api/types/core-v1.ts';
import { kubernetesVocabulary as v } from '../../api/vocabulary/vocabulary.ts';
import { fixtureReader } from '../authorization/reader.fixture.ts';
import { startFixture, writing } from '../registry/registry.fixture.ts';
import { createNamespaceAutoProvision } from './namespace-auto-provision.ts';
import { admit } from './request.fixture.ts';

/** Starts a registry and a plugin. If `sees` is false, the plugin's cache never receives a namespace. */
async function start({ sees = true } = {}) {
  const { registry, of } = await startFixture();
  const reader = registry.reader(namespaces);
  const plugin = createNamespaceAutoProvision({
    namespaces: sees ? reader : fixtureReader<Namespace>(),
    vocabulary: v,
    registry,
  });
  const names = () => reader.list().map(({ metadata }) => metadata?.name);
  return { of, plugin, names };
}

describe('NamespaceAutoProvision', () => {
  it.each([true, false])(
    'creates the namespace of a new object once (if the cache receives it: %s)',
    async (sees) => {
      const { plugin, names } = await start({ sees });
      for (let i = 0; i < 2; i++) await admit(plugin, { kind: configMaps, namespace: 'fresh' });
      expect(names()).toEqual(['fresh']);
    },
  );

  it('keeps a namespace that another client has created', async () => {
    const { plugin, of, names } = await start({ sees: false });
    const labels = { created: 'elsewhere' };
    await of(namespaces).create('', { metadata: { name: 'fresh', labels } }, writing());
    await admit(plugin, { kind: configMaps, namespace: 'fresh' });
    expect(names()).toEqual(['fresh']);
    const { object } = await of(namespaces).get('', 'fresh', '');
    expect(object.metadata?.labels).toMatchObject(labels);
  });

  it('creates no namespace in a dry run', async () => {
    const { plugin, names } = await start();
    await admit(plugin, { kind: configMaps, namespace: 'fresh', dryRun: true });
    expect(names()).toEqual([]);
  });

  it('rejects an object whose namespace cannot be created', async () => {
    const { plugin } = await start();
    const request = { kind: configMaps, namespace: 'Not_A_Name', name: 'c' };
    await expect(admit(plugin, request)).rejects.toMatchObject({
      code: 403,
      message: expect.stringMatching(/^configmaps "c" is forbidden: Namespace "Not_A_Name" is invalid: /),
    });
  });
});
