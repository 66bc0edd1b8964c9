import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../../api/kinds/kind.ts';
import { type Change, createObjectStore } from '../../runtime/informer/object-store.ts';
import type { Any } from './api-request.ts';
import { createLookUp, noView } from './caches.ts';
import type { ControllerModel } from './controller-model.ts';
import { type Changed, type Heard, deliver, leave, relist, send } from './views.ts';

/** A change of one watched object, or a list of several objects. */
interface Step {
  readonly type: 'apply' | 'delete' | 'list';
  readonly objects: readonly ApiObject[];
}

const object = fc
  .record({
    name: fc.constantFrom('a', 'b', 'c'),
    namespace: fc.constantFrom('x', 'y'),
    uid: fc.constantFrom('1', '2'),
    version: fc.constantFrom('1', '2', '3'),
    labels: fc.subarray(['p', 'q']),
  })
  .map(({ name, namespace, uid, version, labels }): ApiObject => ({
    metadata: {
      name,
      namespace,
      uid: `${namespace}/${name} ${uid}`,
      resourceVersion: version,
      // Labels follow from the version, as in a server.
      labels: Object.fromEntries([...labels, `v${version}`].map((label) => [label, version])),
    },
  }));
const step: fc.Arbitrary<Step> = fc.record({
  type: fc.constantFrom('apply', 'apply', 'delete', 'list'),
  objects: fc.uniqueArray(object, {
    minLength: 1,
    maxLength: 6,
    selector: ({ metadata }) => `${metadata?.namespace}/${metadata?.name}`,
  }),
});

const labelsOf = ({ metadata }: Any): readonly string[] => Object.keys(metadata?.labels ?? {});
const indexValues: ControllerModel['indexValues'] = (_, index, each) =>
  index === 'namespace' ? [each.metadata?.namespace ?? ''] : labelsOf(each);
const INDEXED = {
  namespace: ['x', 'y', 'z'],
  labels: ['p', 'q', 'v1', 'v2', 'v3'],
} as const;

const textOf = (value: unknown): string => JSON.stringify(value);
const sortedTexts = (objects: readonly unknown[]): readonly string[] => objects.map(textOf).sort();
const heardBy = (changes: readonly (Heard | Change<ApiObject>)[]): readonly string[] =>
  changes.map((change) =>
    textOf([change.type, change.object, change.type === 'apply' ? (change.previous ?? null) : null]),
  );

/** Notifications of a list, whose order within deletions and within other changes does not matter. */
const byKind = (heard: readonly string[]): readonly string[] => [...heard].sort();

describe('the model of an informer cache', () => {
  it('has the contents, indexes and notifications of the real store after random events and lists', () => {
    const lookUp = createLookUp({ indexValues } as ControllerModel);
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 24 }), (steps) => {
        const writer = createObjectStore<ApiObject>();
        writer.index('labels', labelsOf);
        let changed: Changed = { view: noView, heard: [] };
        for (const { type, objects } of steps) {
          const [first] = objects;
          if (type === 'list' || !first) {
            changed = relist(changed.view, objects);
            expect(byKind(heardBy(changed.heard))).toEqual(byKind(heardBy(writer.replace(objects))));
          } else {
            changed = deliver(send(changed.view, { type, object: first }));
            const real = type === 'apply' ? writer.apply(first) : writer.remove(first);
            expect(heardBy(changed.heard)).toEqual(heardBy(real));
          }
          const views = [changed.view];
          const list = lookUp(views, { of: 'list', informer: 0 }, 0) as readonly Any[];
          expect(sortedTexts(list)).toEqual(sortedTexts(writer.store.list()));
          expect(writer.store.size).toBe(list.length);
          for (const [index, values] of Object.entries(INDEXED))
            for (const value of values)
              expect(
                sortedTexts(lookUp(views, { of: 'index', informer: 0, index, value }, 0) as readonly Any[]),
              ).toEqual(sortedTexts(writer.store.byIndex(index, value)));
          for (const each of objects) {
            const key = `${each.metadata?.namespace}/${each.metadata?.name}`;
            expect(lookUp(views, { of: 'get', informer: 0, key }, 0)).toEqual(writer.store.get(key));
          }
        }
        expect(leave(changed.view).objects).toEqual(changed.view.objects);
      }),
      { numRuns: 300, seed: 11 },
    );
  });
});
