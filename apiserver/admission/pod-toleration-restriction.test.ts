import { describe, expect, it } from 'vitest';
import type { Pod, Toleration } from '../../api/types/core-v1-pod.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { fixtureReader } from '../authorization/reader.fixture.ts';
import { createPodTolerationRestriction } from './pod-toleration-restriction.ts';
import { admit } from './request.fixture.ts';

const of = (key: string): Toleration => ({ key, operator: 'Exists' });
const memoryPressure: Toleration = {
  key: 'node.kubernetes.io/memory-pressure',
  operator: 'Exists',
  effect: 'NoSchedule',
};
const configuration = (fields: object) => ({
  apiVersion: 'podtolerationrestriction.admission.k8s.io/v1alpha1',
  kind: 'Configuration',
  ...fields,
});
const pluginOf = (annotations: Record<string, string>, given?: unknown) =>
  createPodTolerationRestriction(
    {
      namespaces: fixtureReader([
        {
          metadata: {
            name: 'ns',
            annotations: Object.fromEntries(
              Object.entries(annotations).map(([name, text]) => [
                `scheduler.alpha.kubernetes.io/${name}`,
                text,
              ]),
            ),
          },
        },
      ]),
      vocabulary: kubernetesVocabulary,
    },
    given,
  );
const podOf = (tolerations?: Toleration[], requests?: Record<string, string>): Pod => ({
  metadata: { name: 'web' },
  spec: {
    containers: [{ name: 'c', ...(requests && { resources: { requests } }) }],
    ...(tolerations && { tolerations }),
  },
});
const run = async (pod: Pod, annotations: Record<string, string> = {}, given?: unknown) =>
  (await admit(pluginOf(annotations, given), { object: pod })).spec?.tolerations;

describe('PodTolerationRestriction', () => {
  const defaults = { defaultTolerations: JSON.stringify([of('ns')]) };
  const cluster = configuration({ default: [of('cluster')] });

  it('adds to a pod the tolerations of its namespace, or those of the cluster if there are none', async () => {
    expect(await run(podOf([of('own')]), defaults, cluster)).toEqual([of('own'), of('ns')]);
    expect(await run(podOf(), {}, cluster)).toEqual([of('cluster')]);
    expect(await run(podOf(), { defaultTolerations: '[]' }, cluster)).toBeUndefined();
    expect(await run(podOf())).toBeUndefined();
  });

  it('adds the memory-pressure toleration to new and updated pods with requests', async () => {
    expect(await run(podOf([of('own')], { cpu: '1' }))).toEqual([of('own'), memoryPressure]);
    const updated = await admit(pluginOf(defaults), {
      operation: 'UPDATE',
      object: podOf(undefined, { cpu: '1' }),
      previous: podOf(),
    });
    expect(updated.spec?.tolerations).toEqual([memoryPressure]);
  });

  const refused = 'pod tolerations (possibly merged with namespace default tolerations) conflict with its';
  it.each<[string, Toleration[], Record<string, string>, unknown, string]>([
    [
      'tolerations that the namespace does not allow',
      [of('own')],
      { tolerationsWhitelist: JSON.stringify([of('ns')]) },
      undefined,
      `${refused} namespace whitelist`,
    ],
    [
      'tolerations that the cluster does not allow',
      [of('own')],
      {},
      configuration({ whitelist: [of('cluster')] }),
      `${refused} cluster whitelist`,
    ],
    [
      'defaults that are not allowed',
      [],
      { ...defaults, tolerationsWhitelist: JSON.stringify([of('other')]) },
      undefined,
      `${refused} namespace whitelist`,
    ],
  ])('rejects %s', async (_what, tolerations, annotations, given, message) => {
    await expect(run(podOf(tolerations), annotations, given)).rejects.toMatchObject({ code: 500, message });
  });

  it('admits allowed tolerations', async () => {
    const allowed = { tolerationsWhitelist: JSON.stringify([of('own')]) };
    const narrow: Toleration = { key: 'own', operator: 'Equal', value: 'x', effect: 'NoSchedule' };
    expect(await run(podOf([narrow]), allowed)).toEqual([narrow]);
    await run(podOf([of('own')]), { tolerationsWhitelist: '' }, configuration({ whitelist: [of('x')] }));
  });

  it("rejects every pod if the namespace's annotation is invalid, and rejects an invalid configuration", async () => {
    await expect(run(podOf(), { defaultTolerations: '{' })).rejects.toMatchObject({ code: 500 });
    await expect(run(podOf(), { defaultTolerations: '{}' })).rejects.toMatchObject({
      message: 'scheduler.alpha.kubernetes.io/defaultTolerations must be a list',
    });
    expect(() => pluginOf({}, { default: [] })).toThrow('expected Configuration of');
    expect(() => pluginOf({}, configuration({ default: [5] }))).toThrow();
  });
});
