import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../../api/kinds/kind.ts';
import { generationChanged, keysOfLabel } from './watch.ts';

const labelled = (value?: string): ApiObject => ({
  metadata: { namespace: 'ns', name: 'x', ...(value && { labels: { of: value } }) },
});

describe('keysOfLabel', () => {
  const keys = keysOfLabel('of');
  it.each([
    ['new', labelled('a'), undefined, ['ns/a']],
    ['without the label', labelled(), undefined, []],
    ['with another value', labelled('a'), labelled('b'), ['ns/a', 'ns/b']],
    ['that lost the label', labelled(), labelled('b'), ['ns/b']],
    ['with the same value', labelled('a'), labelled('a'), ['ns/a']],
  ])('returns the keys of an object %s', (_, object, previous, expected) =>
    expect(keys(object, previous)).toEqual(expected),
  );
});

describe('generationChanged', () => {
  const at = (generation: number, more: object = {}): ApiObject => ({
    metadata: { uid: 'u', generation, ...more },
  });
  it.each([
    ['a new object', at(1), undefined, true],
    ['a change of the status alone', at(1, { resourceVersion: '2' }), at(1, { resourceVersion: '1' }), false],
    ['a change of the spec', at(2), at(1), true],
    ['the start of a deletion', at(1, { deletionTimestamp: 'now' }), at(1), true],
    ['an object replaced under its name', at(1, { uid: 'v' }), at(1), true],
  ])('detects a changed desired state for %s', (_, object, previous, changed) =>
    expect(generationChanged(object, previous)).toBe(changed),
  );
});
