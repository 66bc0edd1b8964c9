import { parse, parseAllDocuments } from 'yaml';
import { expect, it } from 'vitest';
import { yamlPlace } from './place.ts';

const BROKEN = 'a: 1\nsecret: [word\n';

it('yamlPlace names line and column of a syntax error, without the text', () => {
  const errors: unknown[] = parseAllDocuments(BROKEN).flatMap(({ errors: found }) => found);
  try {
    parse(BROKEN);
  } catch (thrown) {
    errors.push(thrown);
  }
  expect(errors.map(yamlPlace)).toEqual(errors.map(() => ' (line 3, column 1)'));
  expect(errors.length).toBeGreaterThan(1);
});

it('yamlPlace is empty for other errors', () => {
  expect([new Error('x'), undefined, 'x'].map(yamlPlace)).toEqual(['', '', '']);
});
