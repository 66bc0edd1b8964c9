import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decode } from '../schema/decode.ts';
import { ApplyConflicts } from './conflict.ts';
import { compareValues, isUnchanged } from './compare.ts';
import { EMPTY, type FieldSet, difference, union } from './field-set.ts';
import { type ApplyResult, UnappliableError, applyManaged, updateManaged } from './field-manager.ts';
import { parseManagers } from './managers.ts';
import { appliedFields, extractFields, removeFields } from './merge.ts';
import { DEDUCED, shapeOf } from './shape.ts';
import { Thing, clientSide } from './story.fixture.ts';

const name = fc.constantFrom('a', 'b', '__proto__', 'x');
const entries = <T>(each: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> =>
  fc.uniqueArray(fc.tuple(name, each), { selector: ([key]) => key, maxLength: 3 }).map(Object.fromEntries);
const item = fc.record({ key: name, value: fc.constantFrom('1', '2') }, { requiredKeys: ['key'] });
const spec = fc.record(
  {
    replicas: fc.integer({ min: 0, max: 3 }),
    paused: fc.boolean(),
    items: fc.uniqueArray(item, { selector: ({ key }) => key, maxLength: 3 }),
    tags: fc.uniqueArray(name, { maxLength: 3 }),
    args: fc.array(name, { maxLength: 2 }),
    labels: entries(fc.constantFrom('1', '2')),
    options: entries(fc.constantFrom('1', '2')),
    selector: fc.record({ labels: entries(fc.constantFrom('1', '2')) }),
  },
  { requiredKeys: [] },
);
const thing = spec.map((value) => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name: 'a' },
  spec: value,
}));

const write = (manager: string, time: string) => ({
  schema: Thing,
  apiVersion: 'v1',
  manager,
  subresource: '',
  time,
  reset: EMPTY,
});

const apply = (
  live: object | undefined,
  config: object,
  manager: string,
  force = true,
): { object: object; managedFields: unknown } => {
  const applied = applyManaged({
    ...write(manager, '2026-01-01T00:00:00Z'),
    live,
    config,
    force,
    clientSide,
  });
  const { value } = decode<object>(Thing, structuredClone(applied.object));
  return { object: value, managedFields: applied.managedFields };
};

const stored = ({ object, managedFields }: { object: object; managedFields: unknown }): object => ({
  ...object,
  metadata: { ...(object as { metadata?: object }).metadata, managedFields },
});

describe('apply', () => {
  test('is idempotent: repeating it changes neither object nor owners', () => {
    fc.assert(
      fc.property(thing, thing, thing, (first, second, third) => {
        const others = stored(apply(stored(apply(undefined, first, 'b')), second, 'a'));
        const once = apply(others, third, 'a');
        const twice = apply(stored(once), third, 'a', false);
        expect(twice).toEqual(once);
      }),
    );
  });

  test('does not conflict with itself', () => {
    fc.assert(
      fc.property(thing, thing, (first, second) => {
        const once = stored(apply(undefined, first, 'a'));
        expect(() => apply(once, second, 'a', false)).not.toThrow();
      }),
    );
  });

  test('with force sets every applied field to its applied value', () => {
    fc.assert(
      fc.property(thing, thing, (first, second) => {
        const { object } = apply(stored(apply(undefined, first, 'b')), second, 'a');
        const wanted = decode<object>(Thing, structuredClone(second)).value;
        const { modified, removed } = compareValues(shapeOf(Thing), wanted, object);
        expect([modified, removed]).toEqual([EMPTY, EMPTY]);
      }),
    );
  });

  test('reports `pruned` if the result lacks applied fields because other fields were removed', () => {
    const write = { manager: 'a', subresource: '', time: '2026-01-01T00:00:00Z', reset: EMPTY, clientSide };
    const apply = (live: object | undefined, spec: object): ApplyResult =>
      applyManaged({ ...write, schema: Thing, apiVersion: 'v1', live, config: { spec }, force: true });
    const first = apply(undefined, { paused: true, tags: ['x'] });
    const live = { ...(first.object as object), metadata: { managedFields: first.managedFields } };
    const less = apply(live, { paused: true, tags: [] });
    expect(less).toMatchObject({ object: { spec: { paused: true } }, pruned: true });
    expect(less).not.toHaveProperty('object.spec.tags');
    expect(apply(live, { paused: true, tags: ['x', 'y'] }).pruned).toBe(false);
  });

  test('throws only its own errors for arbitrary input', () => {
    fc.assert(
      fc.property(fc.object({ maxDepth: 3 }), fc.anything(), (config, managedFields) => {
        const live = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a', managedFields } };
        try {
          applyManaged({ ...write('a', ''), live, config: { spec: config }, force: false, clientSide });
        } catch (thrown) {
          expect(thrown instanceof UnappliableError || thrown instanceof ApplyConflicts).toBe(true);
        }
      }),
    );
  });
});

/** Compares the owners after an update with the owners that set operations predict. */
function expectOwners(live: object, next: object, writer: string, managedFields: unknown): void {
  const before = ownersOf((live as { metadata: { managedFields: unknown } }).metadata.managedFields);
  const { managedFields: _owners, ...metadata } = (live as { metadata: { managedFields?: unknown } })
    .metadata;
  const { added, modified, removed } = compareValues(shapeOf(Thing), { ...live, metadata }, next);
  const touched = union(added, modified);
  const after = ownersOf(managedFields);
  for (const manager of ['u', 'v']) {
    const left = difference(difference(before.get(manager) ?? EMPTY, touched), removed);
    expect(after.get(manager) ?? EMPTY).toEqual(manager === writer ? union(left, touched) : left);
  }
}

/** True if an object has managedFields. An update of an object without managedFields records no owner. */
const isTracked = (live: object): boolean =>
  ((live as { metadata: { managedFields?: readonly unknown[] } }).metadata.managedFields ?? []).length > 0;

const ownersOf = (managedFields: unknown): ReadonlyMap<string, FieldSet> =>
  new Map([...parseManagers(managedFields).values()].map(({ manager, fields }) => [manager, fields]));

describe('update', () => {
  test('does not fail for arbitrary values in managedFields', () => {
    fc.assert(
      fc.property(thing, thing, fc.anything(), fc.json(), (live, next, given, text) => {
        const garbage: unknown = JSON.parse(text);
        const before = { ...live, metadata: { name: 'a', uid: 'u', managedFields: garbage } };
        expect(() => updateManaged({ ...write('u', ''), live: before, next, given })).not.toThrow();
      }),
    );
  });

  test('does not fail for entries whose fieldsV1 is an arbitrary value', () => {
    fc.assert(
      fc.property(thing, fc.object({ maxDepth: 4 }), (next, fieldsV1) => {
        const entry = {
          manager: 'g',
          operation: 'Update',
          apiVersion: 'v1',
          fieldsType: 'FieldsV1',
          fieldsV1,
        };
        const live = { ...next, metadata: { name: 'a', uid: 'u', managedFields: [entry] } };
        expect(() => updateManaged({ ...write('u', ''), live, next, given: [entry] })).not.toThrow();
      }),
    );
  });

  test('returns the same entries if the update changes nothing', () => {
    fc.assert(
      fc.property(thing, thing, (first, second) => {
        const live = stored(apply(stored(apply(undefined, first, 'a')), second, 'b')) as {
          metadata: { managedFields: unknown };
        };
        const next = structuredClone({ ...live, metadata: { ...live.metadata } });
        const kept = updateManaged({ ...write('u', ''), live, next, given: undefined });
        expect(kept).toEqual(live.metadata.managedFields);
      }),
    );
  });

  test('moves ownership of changed fields to the writer and of no other field', () => {
    const writers = fc.array(fc.tuple(fc.constantFrom('u', 'v'), thing), { minLength: 2, maxLength: 5 });
    fc.assert(
      fc.property(writers, (writes) => {
        let live: object | undefined;
        for (const [manager, next] of writes) {
          const { value } = decode<object>(Thing, structuredClone(next));
          const managedFields = updateManaged({ ...write(manager, ''), live, next: value, given: undefined });
          if (live !== undefined && isTracked(live)) expectOwners(live, value, manager, managedFields);
          else if (live !== undefined) expect(managedFields ?? []).toEqual([]);
          live = stored({ object: value, managedFields });
        }
      }),
    );
  });

  test('drops the managedFields of an object with indistinguishable items', () => {
    const double = { apiVersion: 'v1', kind: 'Thing', spec: { items: [{ key: 'x' }, { key: 'x' }] } };
    expect(
      updateManaged({ ...write('u', ''), live: undefined, next: double, given: undefined }),
    ).toBeUndefined();
  });
});

describe('functions on typed values', () => {
  test('compareValues reports no change exactly for equal values', () => {
    fc.assert(
      fc.property(thing, thing, (left, right) => {
        const same = isUnchanged(compareValues(shapeOf(Thing), left, structuredClone(left)));
        const changed = !isUnchanged(compareValues(shapeOf(Thing), left, right));
        expect(same).toBe(true);
        expect(changed || isUnchanged(compareValues(shapeOf(Thing), right, left))).toBe(true);
      }),
    );
  });

  test('removeFields removes the given fields and nothing else', () => {
    const value = {
      spec: { labels: { x: '1', y: '2' }, tags: ['a', 'b'], items: [{ key: 'k', value: 'v' }] },
    };
    const taken = appliedFields(shapeOf(Thing), {
      spec: { labels: { x: '1' }, tags: ['b'], items: [{ key: 'k', value: 'v' }] },
    });
    expect(removeFields(shapeOf(Thing), value, taken)).toEqual({
      spec: { labels: { y: '2' }, tags: ['a'], items: null },
    });
    expect(extractFields(shapeOf(Thing), value, taken)).toEqual({
      spec: { labels: { x: '1' }, tags: ['b'], items: [{ key: 'k', value: 'v' }] },
    });
  });

  test('appliedFields treats maps as structs and lists as atomic if there is no schema', () => {
    const applied = appliedFields(DEDUCED, { spec: { list: [{ name: 'x' }], map: { deep: 1 } } });
    expect([...(applied.children.get('f:spec')?.children.keys() ?? [])]).toEqual(['f:list', 'f:map']);
    expect(applied.children.get('f:spec')?.children.get('f:list')?.children.size).toBe(0);
  });
});
