import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/types/core-v1-pod.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { fixtureReader } from '../authorization/reader.fixture.ts';
import { createPodNodeSelector } from './pod-node-selector.ts';
import { admit } from './request.fixture.ts';

type Labels = Record<string, string>;

const pluginOf = (annotation?: string, section?: unknown) =>
  createPodNodeSelector(
    {
      namespaces: fixtureReader([
        {
          metadata: {
            name: 'ns',
            ...(annotation !== undefined && {
              annotations: { 'scheduler.alpha.kubernetes.io/node-selector': annotation },
            }),
          },
        },
      ]),
      vocabulary: kubernetesVocabulary,
    },
    section === undefined ? undefined : { podNodeSelectorPluginConfig: section },
  );
const run = async (nodeSelector: Labels | undefined, annotation?: string, section?: unknown) => {
  const object: Pod = {
    metadata: { name: 'web' },
    spec: { containers: [], ...(nodeSelector && { nodeSelector }) },
  };
  return (await admit(pluginOf(annotation, section), { object })).spec?.nodeSelector;
};

describe('PodNodeSelector', () => {
  it.each<[string, Labels | undefined, string | undefined, unknown, Labels | undefined]>([
    ['nothing without any selector', undefined, undefined, undefined, undefined],
    [
      'the selector of its namespace',
      { disk: 'ssd' },
      'env=prod, zone = a',
      undefined,
      { disk: 'ssd', env: 'prod', zone: 'a' },
    ],
    [
      'the cluster default if its namespace has none',
      undefined,
      undefined,
      { clusterDefaultNodeSelector: 'env=dev' },
      { env: 'dev' },
    ],
    [
      'nothing if its namespace has an empty selector',
      undefined,
      '',
      { clusterDefaultNodeSelector: 'env=dev' },
      undefined,
    ],
    ['only allowed labels', { env: 'prod' }, undefined, { ns: 'env=prod,zone=a' }, { env: 'prod' }],
  ])('sets %s as the node selector of a pod', async (_what, given, annotation, section, expected) => {
    expect(await run(given, annotation, section)).toEqual(expected);
  });

  it.each<[string, Labels, string | undefined, unknown, object]>([
    [
      'a pod that conflicts with the selector of its namespace',
      { env: 'dev' },
      'env=prod',
      undefined,
      {
        code: 403,
        message:
          'pods "web" is forbidden: pod node label selector conflicts with its namespace node label selector',
      },
    ],
    [
      'a pod that selects nodes its namespace does not allow',
      { env: 'prod', disk: 'ssd' },
      undefined,
      { ns: 'env=prod' },
      {
        code: 403,
        message:
          'pods "web" is forbidden: pod node label selector labels conflict with its namespace whitelist',
      },
    ],
    [
      'any pod if the annotation is invalid',
      {},
      'env',
      undefined,
      { code: 500, message: 'invalid selector: [env]' },
    ],
  ])('rejects %s', async (_what, given, annotation, section, expected) => {
    await expect(run(given, annotation, section)).rejects.toMatchObject(expected);
  });

  it('rejects an invalid configuration', () => {
    expect(() => pluginOf('', { ns: 'a=b=c' })).toThrow(
      'podNodeSelectorPluginConfig.ns: invalid selector: [a b c]',
    );
    expect(() => pluginOf('', { ns: 5 })).toThrow('podNodeSelectorPluginConfig.ns must be a string');
    expect(() => pluginOf('', [])).toThrow('podNodeSelectorPluginConfig must be an object');
  });
});
