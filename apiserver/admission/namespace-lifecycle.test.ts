import { describe, expect, it } from 'vitest';
import { localSubjectAccessReviews, namespaces, nodes, pods } from '../../api/groups/index.ts';
import type { Namespace } from '../../api/types/core-v1.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { fixtureReader } from '../authorization/reader.fixture.ts';
import { createNamespaceLifecycle } from './namespace-lifecycle.ts';
import { admit } from './request.fixture.ts';

const namespace = (name: string, phase: 'Active' | 'Terminating' = 'Active'): Namespace => ({
  metadata: { name },
  status: { phase },
});

const clock = createSimulatedClock();
const reader = fixtureReader([namespace('ns'), namespace('going', 'Terminating')], [namespace('fresh')]);
const plugin = createNamespaceLifecycle({ namespaces: reader, vocabulary: kubernetesVocabulary, clock });
const pod = { metadata: { name: 'web' } };

describe('NamespaceLifecycle', () => {
  it('admits objects in an active namespace, even if the cache has not received the namespace yet', async () => {
    await admit(plugin, { object: pod });
    await admit(plugin, { object: pod, namespace: 'fresh' });
  });

  it('returns 404 for a namespace that does not exist', async () => {
    await expect(admit(plugin, { object: pod, namespace: 'gone' })).rejects.toMatchObject({
      code: 404,
      message: 'namespaces "gone" not found',
    });
  });

  it('rejects new objects in a terminating namespace, with the cause NamespaceTerminating', async () => {
    await expect(admit(plugin, { object: pod, namespace: 'going' })).rejects.toMatchObject({
      code: 403,
      message:
        'pods "web" is forbidden: unable to create new content in namespace going because it is being terminated',
      status: {
        details: {
          causes: [
            {
              reason: 'NamespaceTerminating',
              message: 'namespace going is being terminated',
              field: 'metadata.namespace',
            },
          ],
        },
      },
    });
    await admit(plugin, { object: pod, namespace: 'going', operation: 'UPDATE' });
    await admit(plugin, { namespace: 'going', operation: 'DELETE' });
  });

  it('rejects the deletion of system namespaces', async () => {
    const remove = (name: string) =>
      admit(plugin, { kind: namespaces, namespace: '', name, operation: 'DELETE' });
    for (const name of ['default', 'kube-system', 'kube-public'])
      await expect(remove(name)).rejects.toThrow(
        `namespaces "${name}" is forbidden: this namespace may not be deleted`,
      );
    await remove('ns');
  });

  it('does not reveal in access reviews whether a namespace exists', () => {
    const concerned = [pods, namespaces, localSubjectAccessReviews, nodes].map((kind) =>
      plugin.concerns?.(kind),
    );
    expect(concerned).toEqual([true, true, false, false]);
  });

  it('reads a namespace from the store for 30 seconds after its deletion', async () => {
    const before = reader.liveReads;
    await admit(plugin, { object: pod });
    expect(reader.liveReads).toBe(before + 1);
    await clock.advance(30_000);
    await admit(plugin, { object: pod });
    expect(reader.liveReads).toBe(before + 1);
  });
});
