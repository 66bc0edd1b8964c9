import { describe, expect, it } from 'vitest';
import { ingresses } from '../../api/groups/index.ts';
import type { Ingress, IngressClass } from '../../api/types/networking-v1.ts';
import { kubernetesVocabulary as v, orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { fixtureReader } from '../authorization/reader.fixture.ts';
import { createDefaultIngressClass } from './default-ingress-class.ts';
import { admit } from './request.fixture.ts';

const KEY = 'ingressclass.kubernetes.io/is-default-class';
const ingressClass = (name: string, isDefault?: string, key = KEY): IngressClass => ({
  metadata: { name, ...(isDefault === undefined ? {} : { annotations: { [key]: isDefault } }) },
});
const about = { kind: ingresses, name: 'web' };
const run = async (classes: IngressClass[], object: Ingress, vocabulary = v): Promise<string | undefined> => {
  const plugin = createDefaultIngressClass({ ingressClasses: fixtureReader(classes), vocabulary });
  return (await admit<Ingress>(plugin, { ...about, object })).spec?.ingressClassName;
};
const plain = (): Ingress => ({ metadata: { name: 'web' }, spec: {} });

describe('DefaultIngressClass', () => {
  it.each<[string, IngressClass[], Ingress, string | undefined]>([
    ['the default class', [ingressClass('a'), ingressClass('b', 'true')], plain(), 'b'],
    ['the default class without a spec', [ingressClass('b', 'true')], { metadata: { name: 'web' } }, 'b'],
    ['none if no class is marked', [ingressClass('a')], plain(), undefined],
    ['none without any class', [], plain(), undefined],
    [
      'none if the annotation is not true',
      [ingressClass('a', 'yes'), ingressClass('b', 'True')],
      plain(),
      undefined,
    ],
    ['its own class', [ingressClass('b', 'true')], { ...plain(), spec: { ingressClassName: 'own' } }, 'own'],
    [
      'its own class, even the empty one',
      [ingressClass('b', 'true')],
      { ...plain(), spec: { ingressClassName: '' } },
      '',
    ],
    [
      'none if the deprecated annotation names one',
      [ingressClass('b', 'true')],
      { metadata: { name: 'web', annotations: { 'kubernetes.io/ingress.class': 'old' } }, spec: {} },
      undefined,
    ],
  ])('sets the class of an Ingress to %s', async (_what, classes, object, expected) => {
    expect(await run(classes, object)).toBe(expected);
  });

  it('rejects an Ingress without a class if two classes are marked', async () => {
    const two = [ingressClass('a', 'true'), ingressClass('b', 'true'), ingressClass('c')];
    await expect(run(two, plain())).rejects.toMatchObject({
      code: 403,
      message:
        'ingresses.networking.k8s.io "web" is forbidden: Internal error occurred: 2 default IngressClasses were found, only 1 allowed',
    });
    expect(await run(two, { ...plain(), spec: { ingressClassName: 'a' } })).toBe('a');
  });

  it("reads the annotation of the server's vocabulary", async () => {
    const marked = ingressClass('b', 'true', 'ingressclass.orch.io/is-default-class');
    expect(await run([marked], plain(), orchVocabulary)).toBe('b');
    expect(await run([marked], plain())).toBeUndefined();
  });

  it('ignores updates', () => {
    const plugin = createDefaultIngressClass({
      ingressClasses: fixtureReader<IngressClass>(),
      vocabulary: v,
    });
    expect(plugin.operations).toEqual(['CREATE']);
  });
});
