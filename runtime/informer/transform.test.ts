import { expect, it } from 'vitest';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createTransform } from './transform.ts';

const lastApplied = orchVocabulary.key('kubectl', 'last-applied-configuration');
const object = {
  metadata: { name: 'a', managedFields: [], annotations: { [lastApplied]: '{}', kept: 'yes' } },
};

it('managedFields are left out, and what apply remembers only where that is asked for', () => {
  expect(createTransform(orchVocabulary, false)(object).metadata).toEqual({
    name: 'a',
    annotations: { [lastApplied]: '{}', kept: 'yes' },
  });
  expect(createTransform(orchVocabulary, true)(object).metadata).toEqual({
    name: 'a',
    annotations: { kept: 'yes' },
  });
});

it('an object with nothing to leave out is kept as it is', () => {
  const small = { metadata: { name: 'a' } };
  expect(createTransform(orchVocabulary, true)(small)).toBe(small);
});
