import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ObjectMeta } from '../../api/types/meta-v1.ts';
import { readHead } from './head.ts';

const stored = (metadata: object, rest: object = {}): Buffer =>
  Buffer.from(JSON.stringify({ kind: 'Pod', apiVersion: 'v1', metadata, ...rest }));

describe('the head of a stored object', () => {
  it('is its metadata up to the labels', () => {
    const head = { resourceVersion: '7', name: 'a', namespace: 'b', generation: 3, labels: { app: 'web' } };
    const bytes = stored(
      { ...head, annotations: { 'a"b': '{"labels":{}}' }, managedFields: [{ manager: 'm' }] },
      { spec: { template: { metadata: { labels: { app: 'other' } } } } },
    );
    expect(readHead(bytes)).toEqual(head);
  });

  it.each<[string, object]>([
    ['no labels', { name: 'a' }],
    ['no labels, but later members', { name: 'a', creationTimestamp: null, finalizers: ['f'] }],
    ['no label', { name: 'a', labels: {} }],
    ['only labels', { labels: { 'example.com/a': '', b: '1' } }],
    ['no members', {}],
  ])('is returned for an object with %s', (_what, metadata) => {
    const { finalizers: _, ...head } = metadata as { finalizers?: unknown };
    expect(readHead(stored(metadata, { spec: { metadata: { name: 'no' } } }))).toEqual(head);
  });

  it.each<[string, Buffer]>([
    ['metadata is missing', Buffer.from('{"kind":"Pod"}')],
    ['other members nest', stored({ name: 'a', other: { b: {} }, labels: { c: 'd' } })],
    ['a string has an escape', stored({ name: 'a"', labels: { c: 'd' } })],
    ['a string is not ASCII', stored({ name: 'é', labels: { c: 'd' } })],
    ['labels are not strings', stored({ name: 'a', labels: { c: { d: 'e' } } })],
    ['it is longer than the searched bytes', stored({ labels: { a: 'b', c: 'd'.repeat(1024) } })],
    ['labels come late', stored({ name: 'a', other: [], labels: { c: 'd' } })],
  ])('is undefined if %s', (_what, bytes) => {
    expect(readHead(bytes)).toBeUndefined();
  });

  it('equals the result of parsing the whole object, whatever its strings', () => {
    const text = fc.string({ unit: fc.constantFrom(...'abc./-{}[]:,') });
    const record = fc.dictionary(text, text, { noNullPrototype: true });
    fc.assert(
      fc.property(text, fc.option(record, { nil: undefined }), record, (name, labels, annotations) => {
        expect(readHead(stored({ name, labels, annotations }))).toEqual({ name, labels });
      }),
      { numRuns: 300 },
    );
  });

  it('depends on the declared order of metadata', () => {
    const names = Object.keys(ObjectMeta.fields);
    expect(names.slice(names.indexOf('labels') + 1)).toEqual([
      'annotations',
      'ownerReferences',
      'finalizers',
      'clusterName',
      'managedFields',
    ]);
  });
});
