import { describe, expect, it } from 'vitest';
import { deployments, namespaces } from '../../api/groups/index.ts';
import { kubernetesVocabulary as v } from '../../api/vocabulary/vocabulary.ts';
import type { AdmissionRequest, Operation } from '../request.ts';
import { createAlwaysAdmit } from './always-admit.ts';
import { createAlwaysDeny } from './always-deny.ts';
import { admissionRequest, admit } from './request.fixture.ts';

const OPERATIONS: readonly Operation[] = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];

describe('AlwaysAdmit', () => {
  it.each(OPERATIONS)('admits %s of any kind', async (operation) => {
    const pod = { metadata: { name: 'web' } };
    const before = structuredClone(pod);
    expect(await admit(createAlwaysAdmit(), { operation, object: pod })).toEqual(before);
  });
});

describe('AlwaysDeny', () => {
  const plugin = createAlwaysDeny(v);
  const { signal } = new AbortController();

  it.each(OPERATIONS)('rejects every %s', async (operation) => {
    await expect(admit(plugin, { operation, object: { metadata: { name: 'web' } } })).rejects.toMatchObject({
      code: 403,
      message: 'pods "web" is forbidden: admission control is denying all modifications',
    });
  });

  it.each<[string, Partial<AdmissionRequest>, string]>([
    ['a kind of a named group', { kind: deployments, name: 'web' }, 'deployments.apps "web"'],
    ['a cluster-scoped kind', { kind: namespaces, namespace: '', name: 'ns' }, 'namespaces "ns"'],
    [
      'an object with a generated name',
      { name: '', object: { metadata: { generateName: 'web-' } } },
      'pods "web-"',
    ],
    ['an object without a name', { name: '' }, 'pods "Unknown"'],
  ])('rejects %s with its name', async (_what, over, subject) => {
    await expect(admit(plugin, over)).rejects.toThrow(`${subject} is forbidden`);
  });

  it('rejects requests in both phases, whatever other plugins do', async () => {
    const request = admissionRequest({});
    await expect(plugin.mutate?.(request, signal)).rejects.toThrow('denying all modifications');
    await expect(plugin.validate?.(request, signal)).rejects.toThrow('denying all modifications');
  });
});
