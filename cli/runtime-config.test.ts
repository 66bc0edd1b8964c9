import { describe, expect, it } from 'vitest';
import { builtinKinds, formerKinds } from '../api/groups/index.ts';
import { createScheme } from '../api/kinds/scheme.ts';
import { kubernetesVocabulary } from '../api/vocabulary/vocabulary.ts';
import { parseRuntimeConfig } from './runtime-config.ts';

const scheme = createScheme(kubernetesVocabulary, [...builtinKinds, ...formerKinds]);
const served = (...items: string[]): readonly string[] =>
  scheme.kinds
    .filter(parseRuntimeConfig(items, scheme))
    .map((kind) => `${scheme.apiVersionOf(kind)}/${kind.plural}`);

describe('the runtime configuration', () => {
  it('serves everything of the release when it says nothing', () => {
    expect(served()).toHaveLength(builtinKinds.length);
  });

  it('serves versions of former releases once it names them, or all that is like them', () => {
    const review = 'authorization.k8s.io/v1beta1/subjectaccessreviews';
    expect(served()).not.toContain(review);
    expect(served('authorization.k8s.io/v1beta1')).toContain(review);
    expect(served('api/beta=true')).toContain(review);
  });

  it('switches a version of a group off', () => {
    expect(served('batch/v1beta1=false')).not.toContain('batch/v1beta1/cronjobs');
    expect(served('batch/v1beta1=false')).toContain('batch/v1/cronjobs');
  });

  it('switches one resource of a version off', () => {
    const left = served('batch/v1/cronjobs=false');
    expect(left).not.toContain('batch/v1/cronjobs');
    expect(left).toContain('batch/v1/jobs');
  });

  it('switches the core group by its version, in either spelling', () => {
    expect(served('v1=false')).not.toContain('v1/pods');
    expect(served('api/v1=false')).not.toContain('v1/pods');
  });

  it('lets what is narrower win over what is wider, whatever their order', () => {
    expect(served('batch/v1=true', 'api/all=false')).toEqual(['batch/v1/cronjobs', 'batch/v1/jobs']);
    expect(served('api/all=false', 'api/ga=true')).toContain('v1/pods');
    expect(served('api/beta=false').filter((name) => name.includes('beta'))).toEqual([]);
  });

  it('takes a key alone for true', () => {
    expect(served('api/all=false', 'batch/v1/jobs')).toEqual(['batch/v1/jobs']);
  });

  it('takes the version that image policies are asked in, which is served to nobody', () => {
    expect(served('imagepolicy.k8s.io/v1alpha1=true')).toEqual(served());
  });

  it('refuses what names nothing and values that are neither', () => {
    expect(() => served('batch/v7=false')).toThrow('unknown API "batch/v7" in --runtime-config');
    expect(() => served('batch/v1=maybe')).toThrow('expected key=true or key=false');
  });

  it('refuses to serve nothing at all', () => {
    expect(() => served('api/all=false')).toThrow('invalid --runtime-config with api/all=false alone');
  });
});
