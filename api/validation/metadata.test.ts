import { describe, expect, it } from 'vitest';
import type { ObjectMeta } from '../types/meta-v1.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './metadata.ts';

const texts = (errors: readonly { field: string; message: string }[]): readonly string[] =>
  errors.map(({ field, message }) => `${field}: ${message}`);
const rules = { namespaced: true, nameRule: 'subdomain', namespaceFinalizer: 'orch' } as const;
const errorsOf = (meta: ObjectMeta) =>
  texts(validateObjectMeta({ name: 'a', namespace: 'd', ...meta }, rules));
const owner = (name: string, controller?: boolean) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  name,
  uid: name,
  ...(controller === undefined ? {} : { controller }),
});

describe('validateObjectMeta', () => {
  it('accepts metadata with a name and a namespace', () => {
    expect(errorsOf({ labels: { 'a.b/c': '' }, finalizers: ['orch', 'orphan', 'a.b/c'] })).toEqual([]);
  });

  it('requires a name, and requires a namespace if the kind is namespaced and only then', () => {
    expect(texts(validateObjectMeta(undefined, rules))).toEqual([
      'metadata.name: Required value: name or generateName is required',
      'metadata.namespace: Required value',
    ]);
    expect(texts(validateObjectMeta({ name: 'a', namespace: 'd' }, { ...rules, namespaced: false }))).toEqual(
      ['metadata.namespace: Forbidden: not allowed on this type'],
    );
  });

  it('accepts a prefix that ends in a dash', () => {
    expect(errorsOf({ generateName: 'web-' })).toEqual([]);
    expect(errorsOf({ generateName: 'Web-' })).toHaveLength(1);
  });

  it('accepts at most one controller among the owners', () => {
    expect(errorsOf({ ownerReferences: [owner('a', true), owner('b', false), owner('c')] })).toEqual([]);
    expect(errorsOf({ ownerReferences: [owner('a', true), owner('b', true)] })).toEqual([
      expect.stringContaining(
        'Only one reference can have Controller set to true. Found "true" in references for a and b',
      ),
    ]);
  });

  it('rejects an Event as owner', () => {
    expect(errorsOf({ ownerReferences: [{ ...owner('a'), apiVersion: 'a/b/c' }] })).toEqual([
      'metadata.ownerReferences.apiVersion: Invalid value: "a/b/c": version must not be empty',
    ]);
    expect(errorsOf({ ownerReferences: [{ ...owner('a'), kind: 'Event' }] })).toEqual([
      expect.stringContaining('/v1, Kind=Event is disallowed from being an owner'),
    ]);
  });

  it('accepts at most 256 KiB of annotations', () => {
    expect(errorsOf({ annotations: { a: 'x'.repeat(262_143) } })).toEqual([]);
    expect(errorsOf({ annotations: { a: 'x'.repeat(262_144) } })).toEqual([
      'metadata.annotations: Too long: must have at most 262144 bytes',
    ]);
  });

  it('requires a domain in finalizers if the kind requires it', () => {
    expect(errorsOf({ finalizers: ['mine'] })).toEqual([
      'metadata.finalizers[0]: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
    ]);
    const { namespaceFinalizer: _asked, ...free } = rules;
    expect(validateObjectMeta({ name: 'a', namespace: 'd', finalizers: ['mine'] }, free)).toEqual([]);
  });

  it('rejects the combination of the orphan and foregroundDeletion finalizers', () => {
    expect(errorsOf({ finalizers: ['orphan', 'foregroundDeletion'] })).toEqual([
      'metadata.finalizers: Invalid value: []string{"orphan", "foregroundDeletion"}: finalizer orphan and foregroundDeletion cannot be both set',
    ]);
  });
});

describe('validateObjectMetaUpdate', () => {
  const before: ObjectMeta = { name: 'a', namespace: 'd', uid: 'u', resourceVersion: '1', generation: 2 };
  const all = (change: ObjectMeta, from: ObjectMeta = before) =>
    texts(validateObjectMetaUpdate({ ...from, ...change }, from, rules));
  const errors = (change: ObjectMeta, from?: ObjectMeta) => [...new Set(all(change, from))];

  it('accepts changed labels and finalizers', () => {
    expect(errors({ labels: { a: 'b' }, finalizers: ['a.b/c'] })).toEqual([]);
  });

  it('rejects a changed name or uid of the object', () => {
    expect(errors({ uid: 'x', name: 'y' })).toEqual([
      'metadata.name: Invalid value: "y": field is immutable',
      'metadata.uid: Invalid value: "x": field is immutable',
    ]);
  });

  it('reports errors of the complete metadata before errors of the change', () => {
    const label = expect.stringContaining('metadata.labels: Invalid value: "b c"') as string;
    const finalizer = expect.stringContaining('metadata.finalizers: Invalid value: "y z"') as string;
    const unqualified = expect.stringMatching(
      /^metadata.finalizers\[[01]\]: .* nor is it fully qualified$/u,
    ) as string;
    expect(all({ labels: { a: 'b c' }, finalizers: ['x', 'y z'] })).toEqual([
      label,
      finalizer,
      label,
      label,
      unqualified,
      unqualified,
    ]);
  });

  it.each([
    [{ whole: 0, change: 0 }, 2, 0],
    [{ whole: 0, change: 1 }, 3, 1],
    [{ whole: 1, change: 0 }, 3, 1],
    [{ whole: 2, change: 1 }, 5, 3],
  ])('repeats each error once per recheck of the kind: %j', (rechecks, labels, domains) => {
    const count = (change: ObjectMeta) =>
      validateObjectMetaUpdate({ ...before, ...change }, before, rules, rechecks).length;
    expect(count({ labels: { a: 'b c' } })).toBe(labels);
    expect(count({ finalizers: ['mine'] })).toBe(domains);
  });

  it('validates a name again if the kind rechecks all metadata', () => {
    const next = { ...before, generateName: 'Not_A_Name' };
    expect(validateObjectMetaUpdate(next, before, rules)).toEqual([]);
    expect(texts(validateObjectMetaUpdate(next, before, rules, { whole: 1, change: 1 }))).toEqual([
      expect.stringContaining('metadata.generateName: Invalid value: "Not_A_Name"'),
    ]);
  });

  it('prints immutable times as Go does', () => {
    expect(errors({ deletionTimestamp: '2020-01-02T03:04:05Z' })).toEqual([
      'metadata.deletionTimestamp: Invalid value: 2020-01-02 03:04:05 +0000 UTC: field is immutable',
    ]);
  });

  it('reports managers with long or unprintable names, and long subresource names', () => {
    const entry = { operation: 'Apply', apiVersion: 'v1' } as const;
    const managedFields = [
      { ...entry, manager: 'a'.repeat(129) },
      { ...entry, manager: 'a\nb' },
      { ...entry, manager: 'ü'.repeat(64), subresource: 's'.repeat(257) },
    ];
    expect(errors({ managedFields })).toEqual([
      'metadata.managedFields[0].manager: Too long: must have at most 128 bytes',
      'metadata.managedFields[1].manager: Invalid value: "a\\nb": invalid character U+000A (at position 1)',
      'metadata.managedFields[2].subresource: Too long: must have at most 256 bytes',
    ]);
  });

  it('rejects a missing resource version and a decreasing generation', () => {
    expect(errors({ resourceVersion: '', generation: 1 })).toEqual([
      'metadata.resourceVersion: Invalid value: "": must be specified for an update',
      'metadata.generation: Invalid value: 1: must not be decremented',
    ]);
  });

  it('rejects new finalizers during deletion but accepts their removal', () => {
    const deleting = { ...before, deletionTimestamp: '2024-01-01T00:00:00Z', finalizers: ['a.b/c'] };
    expect(errors({ finalizers: [] }, deleting)).toEqual([]);
    expect(errors({ finalizers: ['a.b/c', 'd.e/f'] }, deleting)).toEqual([
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"d.e/f"}',
    ]);
  });
});
