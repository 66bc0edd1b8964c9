import { expect, it } from 'vitest';
import { type Found, searchIn } from './search.ts';

const found = (kind: Found['kind'], text: string, detail: string = kind): Found => ({ kind, text, detail });
const ALL = [
  found('object', 'team/job', 'ConfigMap'),
  found('object', 'team/my-job-1', 'Job'),
  found('object', 'team/subjobs', 'Secret'),
  found('kind', 'jobs', 'batch'),
  found('controller', 'job'),
  found('controller', 'cronjob'),
  found('act', 'suspend', 'team/job'),
];
const texts = (query: string, limit = 10): readonly string[] =>
  searchIn(ALL, query, limit).map(({ text }) => text);

it('sorts equal names, beginnings, beginnings of words and other matches in this order', () => {
  expect(texts('job')).toEqual([
    'job',
    'jobs',
    'team/job',
    'team/my-job-1',
    'cronjob',
    'team/subjobs',
    'suspend',
  ]);
});

it.each([
  ['team secret', ['team/subjobs']],
  ['JOB  batch', ['jobs']],
  ['job nothing', []],
])('requires each word of %j in the text or the detail', (query, expected) => {
  expect(texts(query)).toEqual(expected);
});

it('returns everything but objects for an empty query, acts first', () => {
  expect(texts(' ')).toEqual(['suspend', 'job', 'cronjob', 'jobs']);
});

it('returns at most the given number of results', () => expect(texts('job', 2)).toHaveLength(2));
