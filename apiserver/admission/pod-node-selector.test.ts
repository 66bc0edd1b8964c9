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
    ['nothing where nothing is said', undefined, undefined, undefined, undefined],
    [
      'what its namespace says',
      { disk: 'ssd' },
      'env=prod, zone = a',
      undefined,
      { disk: 'ssd', env: 'prod', zone: 'a' },
    ],
    [
      'what the cluster says where its namespace says nothing',
      undefined,
      undefined,
      { clusterDefaultNodeSelector: 'env=dev' },
      { env: 'dev' },
    ],
    [
      'nothing where its namespace says so',
      undefined,
      '',
      { clusterDefaultNodeSelector: 'env=dev' },
      undefined,
    ],
    ['no more than is allowed', { env: 'prod' }, undefined, { ns: 'env=prod,zone=a' }, { env: 'prod' }],
  ])('gives a pod %s', async (_what, given, annotation, section, expected) => {
    expect(await run(given, annotation, section)).toEqual(expected);
  });

  it.each<[string, Labels, string | undefined, unknown, object]>([
    [
      'a pod that wants other nodes than its namespace',
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
      'a pod that wants nodes its namespace may not have',
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
      'any pod where the annotation is none',
      {},
      'env',
      undefined,
      { code: 500, message: 'invalid selector: [env]' },
    ],
  ])('refuses %s', async (_what, given, annotation, section, expected) => {
    await expect(run(given, annotation, section)).rejects.toMatchObject(expected);
  });

  it('refuses a configuration that is none', () => {
    expect(() => pluginOf('', { ns: 'a=b=c' })).toThrow(
      'podNodeSelectorPluginConfig.ns: invalid selector: [a b c]',
    );
    expect(() => pluginOf('', { ns: 5 })).toThrow('podNodeSelectorPluginConfig.ns must be a string');
    expect(() => pluginOf('', [])).toThrow('podNodeSelectorPluginConfig must be an object');
  });
});
