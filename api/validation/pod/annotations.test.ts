import { describe, expect, it } from 'vitest';
import { agreeOnSeccomp } from '../../groups/core/pod-seccomp.ts';
import type { Pod } from '../../types/core-v1-pod.ts';
import { kubernetesVocabulary as vocabulary } from '../../vocabulary/vocabulary.ts';
import {
  validatePodAnnotations,
  validatePodAnnotationsUpdate,
  validateSeccompAgreement,
} from './annotations.ts';

const OF_POD = 'seccomp.security.alpha.kubernetes.io/pod';
const OF_C = 'container.seccomp.security.alpha.kubernetes.io/c';
const ARMOR = 'container.apparmor.security.beta.kubernetes.io/';
const spec = { containers: [{ name: 'c' }] };
const text = ({ field, message }: { readonly field: string; readonly message: string }): string =>
  `${field}: ${message}`;

describe('validatePodAnnotations', () => {
  it.each([
    [{ [OF_POD]: 'runtime/default', [OF_C]: 'localhost/a.json', [`${ARMOR}c`]: 'unconfined' }, []],
    [
      { [OF_POD]: 'strict', [OF_C]: 'localhost//a' },
      [
        `a.${OF_POD}: Invalid value: "strict": must be a valid seccomp profile`,
        `a.${OF_C}: Invalid value: "/a": must be a relative path`,
      ],
    ],
    [
      { [`${ARMOR}x`]: 'tight' },
      [
        `a[${ARMOR}x]: Invalid value: "x": container not found`,
        `a[${ARMOR}x]: Invalid value: "tight": invalid AppArmor profile name: "tight"`,
      ],
    ],
    [
      { 'controller.kubernetes.io/pod-deletion-cost': '+1', 'kubernetes.io/config.mirror': 'h' },
      [
        'a[kubernetes.io/config.mirror]: Invalid value: "h": must set spec.nodeName if mirror pod annotation is set',
        'a[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "+1": must be a 32bit integer',
      ],
    ],
  ])('validates %j', (annotations, complaints) =>
    expect(validatePodAnnotations(annotations as never, spec, 'a', vocabulary).map(text)).toEqual(complaints),
  );
});

describe('validatePodAnnotationsUpdate', () => {
  it('rejects changes of annotations that the kubelet or a security module reads', () => {
    const found = validatePodAnnotationsUpdate(
      { [`${ARMOR}c`]: 'unconfined', 'kubernetes.io/config.mirror': 'new', other: '2' },
      { [`${ARMOR}c`]: 'runtime/default', other: '1' },
      'a',
      vocabulary,
    );
    expect(found.map(text)).toEqual([
      `a[${ARMOR}c]: Forbidden: may not remove or update AppArmor annotations`,
      'a[kubernetes.io/config.mirror]: Forbidden: may not add mirror pod annotation',
    ]);
  });
});

describe('a seccomp profile', () => {
  const made = (pod: Pod): Pod => {
    agreeOnSeccomp(pod, vocabulary);
    return pod;
  };

  it('is copied from the annotation to the field, and from the field to the annotation', () => {
    const pod = made({
      metadata: { annotations: { [OF_POD]: 'docker/default' } },
      spec: {
        containers: [
          {
            name: 'c',
            securityContext: { seccompProfile: { type: 'Localhost', localhostProfile: 'a.json' } },
          },
        ],
      },
    });
    expect(pod.spec?.securityContext).toEqual({ seccompProfile: { type: 'RuntimeDefault' } });
    expect(pod.metadata?.annotations).toEqual({ [OF_POD]: 'docker/default', [OF_C]: 'localhost/a.json' });
  });

  it('is not copied to an annotation if its type has no annotation form', () => {
    const pod = { spec: { containers: [{ name: 'c' }], securityContext: { seccompProfile: { type: 'X' } } } };
    expect(made(structuredClone(pod) as never)).toEqual(pod);
  });

  it('must be equal in annotation and field', () => {
    const profile = (seccompProfile: object) => ({ ...spec, securityContext: { seccompProfile } }) as never;
    const complaints = (word: string, seccompProfile: object) =>
      validateSeccompAgreement({ [OF_POD]: word }, profile(seccompProfile), 'spec', vocabulary).map(text);
    expect(complaints('docker/default', { type: 'RuntimeDefault' })).toEqual([]);
    expect(complaints('unconfined', { type: 'RuntimeDefault' })).toEqual([
      'spec.securityContext.seccompProfile.type: Forbidden: seccomp type in annotation and field must match',
    ]);
    expect(complaints('localhost/a', { type: 'Localhost', localhostProfile: 'b' })).toEqual([
      'spec.securityContext.seccompProfile.localhostProfile: Forbidden: seccomp profile in annotation and field must match',
    ]);
  });
});
