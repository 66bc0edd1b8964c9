import { describe, expect, it } from 'vitest';
import { namespaces, nodes, pods } from '../../api/groups/index.ts';
import type { Namespace } from '../../api/types/core-v1.ts';
import type { Operation } from '../request.ts';
import { fixtureReader } from '../authorization/reader.fixture.ts';
import { createNamespaceExists } from './namespace-exists.ts';
import { admit } from './request.fixture.ts';

const plugin = createNamespaceExists({
  namespaces: fixtureReader<Namespace>([{ metadata: { name: 'ns' } }], [{ metadata: { name: 'fresh' } }]),
});

describe('NamespaceExists', () => {
  it.each<[Operation]>([['CREATE'], ['UPDATE'], ['DELETE']])(
    'returns 404 for %s in a missing namespace',
    async (operation) => {
      await expect(admit(plugin, { operation, namespace: 'gone' })).rejects.toMatchObject({
        code: 404,
        message: 'namespaces "gone" not found',
      });
      await admit(plugin, { operation, namespace: 'ns' });
      await admit(plugin, { operation, namespace: 'fresh' });
    },
  );

  it('does not concern cluster-scoped kinds', () => {
    expect([pods, nodes, namespaces].map((kind) => plugin.concerns?.(kind))).toEqual([true, false, false]);
  });
});
