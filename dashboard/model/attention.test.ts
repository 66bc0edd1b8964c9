import { describe, expect, it } from 'vitest';
import type { AttentionItem } from '../../runtime/journal/index.ts';
import { documentAt } from './documents.ts';
import { JournalModel } from './journal-model.ts';

const item = (kind: string, plural: string, path: string, controller: string): AttentionItem => {
  const [first = '', second] = path.split('/');
  const place = second === undefined ? { name: first } : { namespace: first, name: second };
  return {
    reason: 'stuck',
    controller,
    object: { group: '', version: 'v1', plural, kind, ...place },
    sentence: `${kind} ${path} is stuck.`,
    sinceMs: 0,
  };
};
const items = [
  item('Namespace', 'namespaces', 'team', 'namespace'),
  item('Job', 'jobs', 'team/work', 'job'),
  item('Job', 'jobs', 'other/work', 'job'),
  item('CronJob', 'cronjobs', 'team/report', 'cronjob'),
];
const view = { model: new JournalModel(), nowMs: 0, entries: () => [], finished: () => {} };
const sentences = (query: string): readonly string[] => {
  const document = documentAt({ ...view, attention: () => items }, 'attention', new URLSearchParams(query));
  return document?.kind === 'Attention' ? document.items.map(({ sentence }) => sentence) : ['none'];
};

describe('attention', () => {
  it.each([
    ['namespace=team', ['Namespace team', 'Job team/work', 'CronJob team/report']],
    ['controller=job', ['Job team/work', 'Job other/work']],
    ['kind=cronjob', ['CronJob team/report']],
    ['kind=jobs&name=work&namespace=other', ['Job other/work']],
    ['key=team%2Fwork&kind=jobs', ['Job team/work']],
    ['limit=1', ['Namespace team']],
    [
      'namespace=&controller=&kind=',
      ['Namespace team', 'Job team/work', 'Job other/work', 'CronJob team/report'],
    ],
  ])('returns the items that match %s', (query, expected) =>
    expect(sentences(query)).toEqual(expected.map((name) => `${name} is stuck.`)),
  );

  it('returns the values of the filters from all items', () =>
    expect(
      documentAt({ ...view, attention: () => items }, 'attention', new URLSearchParams('kind=job')),
    ).toMatchObject({
      total: 2,
      namespaces: ['other', 'team'],
      controllers: ['cronjob', 'job', 'namespace'],
      kinds: ['CronJob', 'Job', 'Namespace'],
    }));

  it('is no document of a replayed journal', () =>
    expect(documentAt(view, 'attention', new URLSearchParams())).toBeUndefined());
});
