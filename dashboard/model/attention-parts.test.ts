import { expect, it } from 'vitest';
import type { AttentionItem, ObjectLink } from '../../runtime/journal/index.ts';
import { partsOf } from './attention-parts.ts';

const map = (name: string): ObjectLink => ({
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespace: 'team',
  name,
});
const item = (sentence: string, more: Partial<AttentionItem> = {}): AttentionItem => ({
  reason: 'deletion-blocked',
  controller: 'garbagecollector',
  sentence,
  sinceMs: 0,
  ...more,
});

it('partsOf links the object and its blocker where the sentence names them', () => {
  const [object, blocker] = [map('web'), map('web-2')];
  const parts = partsOf(item('ConfigMap team/web waits for ConfigMap team/web-2.', { object, blocker }));
  expect(parts).toEqual([
    { text: 'ConfigMap team/web', link: object },
    { text: ' waits for ' },
    { text: 'ConfigMap team/web-2', link: blocker, blocks: true },
    { text: '.' },
  ]);
});

it('partsOf does not link a name within a longer name', () => {
  const object = map('web');
  const text = 'ConfigMap team/web-2 is held.';
  expect(partsOf(item(text, { object }))).toEqual([{ text }]);
});

it('partsOf appends a blocker that the sentence does not name', () => {
  const blocker = map('held');
  expect(
    partsOf(item('It waits.', { blocker }))
      .map(({ text }) => text)
      .join(''),
  ).toBe('It waits. Blocked by ConfigMap team/held.');
});
