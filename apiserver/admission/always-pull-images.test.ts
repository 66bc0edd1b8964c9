import { describe, expect, it } from 'vitest';
import type { Container } from '../../api/types/core-v1-container.ts';
import type { Pod, PodSpec } from '../../api/types/core-v1-pod.ts';
import { kubernetesVocabulary as v } from '../../api/vocabulary/vocabulary.ts';
import { createAlwaysPullImages } from './always-pull-images.ts';
import { admissionRequest, admit } from './request.fixture.ts';

type Policy = Container['imagePullPolicy'];
const container = (imagePullPolicy: Policy, image = 'a:1'): Container => ({
  name: 'c',
  image,
  ...(imagePullPolicy === undefined ? {} : { imagePullPolicy }),
});
const pod = (spec: Partial<PodSpec>): Pod => ({
  metadata: { name: 'web' },
  spec: { containers: [], ...spec },
});
const policies = ({ spec }: Pod): (Policy | undefined)[] =>
  [...(spec?.initContainers ?? []), ...(spec?.containers ?? []), ...(spec?.ephemeralContainers ?? [])].map(
    ({ imagePullPolicy }) => imagePullPolicy,
  );
const plugin = createAlwaysPullImages(v);

describe('AlwaysPullImages', () => {
  it.each<[Policy]>([[undefined], ['Never'], ['IfNotPresent'], ['Always']])(
    'sets policy Always on containers of every type with policy %s',
    async (policy) => {
      const spec = {
        initContainers: [container(policy)],
        containers: [container(policy), container('Always')],
        ephemeralContainers: [container(policy)],
      };
      expect(policies(await admit(plugin, { object: pod(spec) }))).toEqual(Array(4).fill('Always'));
    },
  );

  it('changes a pod on update only if the update adds an image', async () => {
    const previous = pod({ containers: [container('Never', 'a:1')] });
    const same = { operation: 'UPDATE' as const, previous };
    const unchanged = await admit(plugin, {
      ...same,
      object: pod({ containers: [container('Never', 'a:1')] }),
    });
    expect(policies(unchanged)).toEqual(['Never']);
    const changed = await admit(plugin, {
      ...same,
      object: pod({ containers: [container('Never', 'a:2')] }),
    });
    expect(policies(changed)).toEqual(['Always']);
  });

  it('ignores subresources', async () => {
    const object = pod({ containers: [container('Never')] });
    expect(policies(await admit(plugin, { subresource: 'status', operation: 'UPDATE', object }))).toEqual([
      'Never',
    ]);
  });

  it.each<[string, Partial<PodSpec>, string]>([
    [
      'one container',
      { containers: [container('Never')] },
      'spec.containers[0].imagePullPolicy: Unsupported value: "Never": supported values: "Always"',
    ],
    [
      'two containers',
      {
        initContainers: [container('IfNotPresent')],
        containers: [container('Always'), container(undefined)],
      },
      '[spec.initContainers[0].imagePullPolicy: Unsupported value: "IfNotPresent": supported values: "Always", spec.containers[1].imagePullPolicy: Unsupported value: "": supported values: "Always"]',
    ],
  ])('rejects a policy that a later plugin changed back, in %s', async (_what, spec, message) => {
    const request = admissionRequest({ object: pod(spec) });
    await expect(plugin.validate?.(request, new AbortController().signal)).rejects.toMatchObject({
      code: 403,
      message: `pods "web" is forbidden: ${message}`,
    });
  });
});
