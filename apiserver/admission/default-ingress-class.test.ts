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
    ['none where no class is marked', [ingressClass('a')], plain(), undefined],
    ['none where there is no class', [], plain(), undefined],
    [
      'none by another value of the mark',
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
      'none where the old annotation names one',
      [ingressClass('b', 'true')],
      { metadata: { name: 'web', annotations: { 'kubernetes.io/ingress.class': 'old' } }, spec: {} },
      undefined,
    ],
  ])('gives an Ingress %s', async (_what, classes, object, expected) => {
    expect(await run(classes, object)).toBe(expected);
  });

  it('refuses an Ingress where two classes are marked, but not one that names its own', async () => {
    const two = [ingressClass('a', 'true'), ingressClass('b', 'true'), ingressClass('c')];
    await expect(run(two, plain())).rejects.toMatchObject({
      code: 403,
      message:
        'ingresses.networking.k8s.io "web" is forbidden: Internal error occurred: 2 default IngressClasses were found, only 1 allowed',
    });
    expect(await run(two, { ...plain(), spec: { ingressClassName: 'a' } })).toBe('a');
  });

  it('speaks the vocabulary of the server', async () => {
    const marked = ingressClass('b', 'true', 'ingressclass.orch.io/is-default-class');
    expect(await run([marked], plain(), orchVocabulary)).toBe('b');
    expect(await run([marked], plain())).toBeUndefined();
  });

  it('never looks at updates', () => {
    const plugin = createDefaultIngressClass({
      ingressClasses: fixtureReader<IngressClass>(),
      vocabulary: v,
    });
    expect(plugin.operations).toEqual(['CREATE']);
  });
});
