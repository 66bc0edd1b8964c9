import { expect, it } from 'vitest';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createTransform } from './transform.ts';

const lastApplied = orchVocabulary.key('kubectl', 'last-applied-configuration');
const object = {
  metadata: { name: 'a', managedFields: [], annotations: { [lastApplied]: '{}', kept: 'yes' } },
};

it('createTransform removes managedFields and, on request, the last applied configuration', () => {
  expect(createTransform(orchVocabulary, false)(object).metadata).toEqual({
    name: 'a',
    annotations: { [lastApplied]: '{}', kept: 'yes' },
  });
  expect(createTransform(orchVocabulary, true)(object).metadata).toEqual({
    name: 'a',
    annotations: { kept: 'yes' },
  });
});

it('createTransform returns an object with nothing to remove unchanged', () => {
  const small = { metadata: { name: 'a' } };
  expect(createTransform(orchVocabulary, true)(small)).toBe(small);
});
