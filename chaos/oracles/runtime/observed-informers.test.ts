import { describe, expect, it } from 'vitest';
import { configMaps } from '../../../api/groups/core-v1.ts';
import type { ApiObject, DeepReadonly } from '../../../api/kinds/kind.ts';
import { createObjectStore } from '../../../runtime/informer/object-store.ts';
import type { RunningInformers } from '../../../runtime/informer/informers.ts';
import type { InformerHandler } from '../../../runtime/informer/informer.ts';
import { wrongIndexIn } from './informer-rules.ts';
import type { Happening } from './observation.ts';
import { observeInformers } from './observed-informers.ts';

type Values = (object: DeepReadonly<ApiObject>) => readonly string[];

const versionOf = (name: string, resourceVersion: string): ApiObject => ({
  metadata: { namespace: 'team', name, uid: name, resourceVersion },
});

/** Returns what is wrong with the indexes after updates and a list without one object. */
function wrongIndexes(keptBy: (values: Values) => Values): readonly string[] {
  const writer = createObjectStore<ApiObject>();
  let handler: InformerHandler<ApiObject> | undefined;
  const informer = {
    kind: configMaps,
    store: writer.store,
    synced: true,
    subscribe: (given: InformerHandler<ApiObject>) => (handler = given),
    index: (name: string, values: Values) => writer.index(name, keptBy(values)),
  };
  const happenings: Happening[] = [];
  const informers = { of: () => informer, all: () => [informer] } as unknown as RunningInformers;
  const observed = observeInformers(informers, (happening) => happenings.push(happening));
  observed.informers.of(configMaps);
  for (const change of [
    ...writer.replace([versionOf('a', '1'), versionOf('b', '2')]),
    ...writer.apply(versionOf('a', '3')),
    ...writer.replace([versionOf('a', '3')]),
  ])
    if (change.type === 'apply') handler?.onApply(change.object, change.previous);
    else handler?.onDelete(change.object);
  observed.observeContent({ nowMs: 0, get: () => undefined, list: () => writer.objects() });
  return happenings.flatMap((happening) => wrongIndexIn(happening) ?? []);
}

describe('observeInformers', () => {
  it('finds no error in a correct store', () => expect(wrongIndexes((values) => values)).toEqual([]));

  it('finds an object that an index retains under an old value, although no controller declares an index', () => {
    const first = new Map<string, readonly string[]>();
    const keptBy =
      (values: Values): Values =>
      (object) => {
        const name = object.metadata?.name ?? '';
        first.set(name, first.get(name) ?? values(object));
        return first.get(name) ?? [];
      };
    expect(wrongIndexes(keptBy)).toEqual([
      'index observed of /configmaps #1 has team/a a@3 at "a@1", expected nothing',
    ]);
  });
});
