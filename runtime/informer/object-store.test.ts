import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../../api/kinds/kind.ts';
import { type Change, createObjectStore } from './object-store.ts';

const object = (name: string, uid: string, resourceVersion: string, namespace = 'default'): ApiObject => ({
  metadata: { name, namespace, uid, resourceVersion },
});
const notified = (changes: readonly Change<ApiObject>[]): string[] =>
  changes.map((change) => {
    const { name, uid, resourceVersion } = change.object.metadata ?? {};
    const previous = change.type === 'apply' ? change.previous?.metadata?.resourceVersion : undefined;
    return `${change.type} ${name} ${uid} ${resourceVersion}${previous === undefined ? '' : ` after ${previous}`}`;
  });

describe('createObjectStore', () => {
  it('reports deleted, new, changed and recreated objects after a replacement', () => {
    const writer = createObjectStore<ApiObject>();
    writer.replace([
      object('gone', '1', '1'),
      object('same', '2', '1'),
      object('changed', '3', '1'),
      object('again', '4', '1'),
    ]);
    const changes = writer.replace([
      object('same', '2', '1'),
      object('changed', '3', '2'),
      object('again', '5', '3'),
      object('new', '6', '4'),
    ]);
    expect(notified(changes)).toEqual([
      'delete gone 1 1',
      'apply changed 3 2 after 1',
      'delete again 4 1',
      'apply again 5 3',
      'apply new 6 4',
    ]);
  });

  it('reports no change for a known uid and version', () => {
    const writer = createObjectStore<ApiObject>();
    writer.apply(object('a', '1', '1'));
    expect(writer.apply(object('a', '1', '1'))).toEqual([]);
  });

  it('ignores a late deletion of an earlier object with the same name', () => {
    const writer = createObjectStore<ApiObject>();
    writer.apply(object('a', '2', '5'));
    expect(writer.remove(object('a', '1', '4'))).toEqual([]);
    expect(writer.store.size).toBe(1);
  });

  it('builds the array for a list once between two changes', () => {
    const writer = createObjectStore<ApiObject>();
    writer.apply(object('a', '1', '1'));
    expect(writer.store.list()).toBe(writer.store.list());
    expect(writer.store.byIndex('namespace', 'default')).toBe(writer.store.byIndex('namespace', 'default'));
  });

  it('throws for a lookup in an undeclared index', () => {
    expect(() => createObjectStore().store.byIndex('owner', 'x')).toThrow('no index "owner"');
  });

  it('keeps indexes equal to a scan of all objects', () => {
    const step = fc.record({
      name: fc.constantFrom('a', 'b', '__proto__', 'constructor'),
      namespace: fc.constantFrom('x', 'y', '__proto__'),
      uid: fc.constantFrom('1', '2'),
      version: fc.nat(9),
      remove: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const writer = createObjectStore<ApiObject>();
        const versionOf = (of: { readonly metadata?: { readonly resourceVersion?: string } }) => [
          of.metadata?.resourceVersion ?? '',
        ];
        for (const [at, { name, namespace, uid, version, remove }] of steps.entries()) {
          if (at === 10) writer.store.byIndex('namespace', 'x');
          if (at === 20) writer.index('version', versionOf);
          const next = object(name, uid, String(version), namespace);
          if (remove) writer.remove(next);
          else writer.apply(next);
        }
        writer.index('version', versionOf);
        const all = writer.store.list();
        for (const namespace of ['x', 'y', '__proto__'])
          expect(new Set(writer.store.byIndex('namespace', namespace))).toEqual(
            new Set(all.filter((each) => each.metadata?.namespace === namespace)),
          );
        for (let version = 0; version < 10; version++)
          expect(new Set(writer.store.byIndex('version', String(version)))).toEqual(
            new Set(all.filter((each) => each.metadata?.resourceVersion === String(version))),
          );
      }),
    );
  });
});
