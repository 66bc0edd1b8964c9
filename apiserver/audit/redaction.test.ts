import { describe, expect, it } from 'vitest';
import { kubernetesVocabulary, orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { withoutCredentials, withoutManagedFields, withoutToken } from './redaction.ts';

const GROUP = 'authentication.k8s.io';

describe('what is kept out of audit events', () => {
  it.each([
    [`${GROUP}/v1`, 'TokenReview', 'spec'],
    [`${GROUP}/v1beta1`, 'TokenReview', 'spec'],
    [`${GROUP}/v1`, 'TokenRequest', 'status'],
  ])('is the token of a %s %s', (apiVersion, kind, part) => {
    const object = { apiVersion, kind, [part]: { token: 'sesame', audiences: ['a'] } };
    expect(withoutCredentials(object, kubernetesVocabulary)).toEqual({
      apiVersion,
      kind,
      [part]: { token: '**REDACTED**', audiences: ['a'] },
    });
  });

  it("is nothing of a stranger's kind of the same name, nor of a review without a token", () => {
    const foreign = { apiVersion: 'example.com/v1', kind: 'TokenReview', spec: { token: 'x' } };
    expect(withoutCredentials(structuredClone(foreign), kubernetesVocabulary)).toEqual(foreign);
    const review = { apiVersion: `${GROUP}/v1`, kind: 'TokenReview', spec: { token: '' } };
    expect(withoutCredentials(structuredClone(review), kubernetesVocabulary)).toEqual(review);
    expect(withoutCredentials('text', kubernetesVocabulary)).toBe('text');
  });

  it('is told by the group of the vocabulary', () => {
    const review = { apiVersion: 'authentication.orch.io/v1', kind: 'TokenReview', spec: { token: 'x' } };
    expect(withoutCredentials(review, orchVocabulary)).toMatchObject({ spec: { token: '**REDACTED**' } });
  });

  it('is the token in a query, wherever it stands', () => {
    expect(withoutToken('/a?access_token=x&b=1')).toBe('/a?access_token=**REDACTED**&b=1');
    expect(withoutToken('/a?b=1&access_token=x')).toBe('/a?b=1&access_token=**REDACTED**');
    expect(withoutToken('/a?b=access')).toBe('/a?b=access');
    for (const name of ['token', 'id_token', 'access%5Ftoken', 'TOKEN'])
      expect(withoutToken(`/a?b=1&${name}=x&c`)).toBe(`/a?b=1&${name}=**REDACTED**&c`);
    expect(withoutToken('/a?tokens=1&continue=%zz')).toBe('/a?tokens=1&continue=%zz');
  });

  it('are managed fields, and nothing else, where they are not wanted', () => {
    const metadata = { name: 'a', managedFields: [{}] };
    expect(withoutManagedFields({ metadata: { ...metadata } })).toEqual({ metadata: { name: 'a' } });
    expect(withoutManagedFields({ items: [{ metadata: { ...metadata } }, 1] })).toEqual({
      items: [{ metadata: { name: 'a' } }, 1],
    });
    expect(withoutManagedFields({ rows: [{ object: { metadata: { ...metadata } } }, {}] })).toEqual({
      rows: [{ object: { metadata: { name: 'a' } } }, {}],
    });
    expect(withoutManagedFields([1])).toEqual([1]);
  });
});
