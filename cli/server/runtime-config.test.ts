import { describe, expect, it } from 'vitest';
import { builtinKinds, formerKinds } from '../../api/groups/index.ts';
import { createScheme } from '../../api/kinds/scheme.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { parseRuntimeConfig } from './runtime-config.ts';

const scheme = createScheme(kubernetesVocabulary, [...builtinKinds, ...formerKinds]);
const served = (...items: string[]): readonly string[] =>
  scheme.kinds
    .filter(parseRuntimeConfig(items, scheme))
    .map((kind) => `${scheme.apiVersionOf(kind)}/${kind.plural}`);

describe('--runtime-config', () => {
  it('serves all versions of the release by default', () => {
    expect(served()).toHaveLength(builtinKinds.length);
  });

  it('serves versions of former releases once the flag names them or their class', () => {
    const review = 'authorization.k8s.io/v1beta1/subjectaccessreviews';
    expect(served()).not.toContain(review);
    expect(served('authorization.k8s.io/v1beta1')).toContain(review);
    expect(served('api/beta=true')).toContain(review);
  });

  it('disables a version of a group', () => {
    expect(served('batch/v1beta1=false')).not.toContain('batch/v1beta1/cronjobs');
    expect(served('batch/v1beta1=false')).toContain('batch/v1/cronjobs');
  });

  it('disables one resource of a version', () => {
    const left = served('batch/v1/cronjobs=false');
    expect(left).not.toContain('batch/v1/cronjobs');
    expect(left).toContain('batch/v1/jobs');
  });

  it('disables the core group by its version in either spelling', () => {
    expect(served('v1=false')).not.toContain('v1/pods');
    expect(served('api/v1=false')).not.toContain('v1/pods');
  });

  it('applies the narrowest key, whatever the order', () => {
    expect(served('batch/v1=true', 'api/all=false')).toEqual(['batch/v1/cronjobs', 'batch/v1/jobs']);
    expect(served('api/all=false', 'api/ga=true')).toContain('v1/pods');
    expect(served('api/beta=false').filter((name) => name.includes('beta'))).toEqual([]);
  });

  it('treats a key without value as true', () => {
    expect(served('api/all=false', 'batch/v1/jobs')).toEqual(['batch/v1/jobs']);
  });

  it('accepts the version of image policy reviews, which is not served', () => {
    expect(served('imagepolicy.k8s.io/v1alpha1=true')).toEqual(served());
  });

  it('rejects unknown keys, and values that are neither true nor false', () => {
    expect(() => served('batch/v7=false')).toThrow('unknown API "batch/v7" in --runtime-config');
    expect(() => served('batch/v1=maybe')).toThrow('expected key=true or key=false');
  });

  it('rejects a configuration with which nothing is served', () => {
    expect(() => served('api/all=false')).toThrow('invalid --runtime-config with api/all=false alone');
  });
});
