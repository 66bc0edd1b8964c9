import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { configMaps, namespaces } from '../../api/groups/core-v1.ts';
import type { ApiObject, DeepReadonly } from '../../api/kinds/kind.ts';
import { builtinKinds } from '../../api/groups/index.ts';
import { createScheme } from '../../api/kinds/scheme.ts';
import { ApiError } from '../../api/status/api-error.ts';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createWorld } from '../../test/world/world.ts';
import { type ConditionOptions, unchanged } from '../../runtime/index.ts';
import type { ApiRequest } from './api-request.ts';
import { type ModelStore, createModelServer, emptyStore } from './model-store.ts';

type Name = 'a' | 'b';
/**
 * One client operation. Its version and uid are the object's current ones, its first ones, or ones that never
 * existed.
 */
interface Op {
  readonly verb: 'create' | 'update' | 'patch' | 'delete' | 'get' | 'list';
  readonly name: Name;
  readonly value: string;
  readonly finalizers: readonly string[];
  readonly fence: 'none' | 'current' | 'first';
  readonly policy?: 'Orphan' | 'Foreground' | 'Background';
  /** True if the write condition on another object holds; undefined without a condition. */
  readonly holds?: boolean;
}

const op = fc.record<Op>(
  {
    verb: fc.constantFrom('create', 'update', 'patch', 'delete', 'get', 'list'),
    name: fc.constantFrom('a', 'b'),
    value: fc.constantFrom('1', '2'),
    finalizers: fc.subarray(['example.com/hold']),
    fence: fc.constantFrom('none', 'current', 'first'),
    policy: fc.constantFrom('Orphan', 'Foreground', 'Background'),
    holds: fc.boolean(),
  },
  { requiredKeys: ['verb', 'name', 'value', 'finalizers', 'fence'] },
);

const namespace = 'team';
/** Object that write conditions refer to; it never changes. */
const guard = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'guard', namespace } };
type Seen = { readonly uid: string; readonly resourceVersion: string };

/** Comparable part of an answer: no uids, versions or times. */
const plain = (object: DeepReadonly<ApiObject> | undefined): unknown => {
  const { name, finalizers = [], deletionTimestamp } = object?.metadata ?? {};
  const { data } = (object ?? {}) as { data?: object };
  return { name, data, finalizers, ending: deletionTimestamp !== undefined };
};

const isOurs = ({ metadata }: DeepReadonly<ApiObject>): boolean => ['a', 'b'].includes(metadata?.name ?? '');

const bodyOf = ({ name, value, finalizers }: Op, fence: Partial<Seen>): ApiObject & { data: object } => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name, namespace, finalizers: [...finalizers], ...fence },
  data: { value },
});

/** A client's memory of each name: the first and the latest version it saw. */
function createMemory() {
  const seen = new Map<Name, { first: Seen; current: Seen }>();
  return {
    fence: ({ name, fence }: Op): Partial<Seen> =>
      fence === 'none' ? {} : (seen.get(name)?.[fence] ?? { uid: 'never', resourceVersion: '1' }),
    note(name: Name, object: DeepReadonly<ApiObject> | undefined) {
      const { uid, resourceVersion } = object?.metadata ?? {};
      if (uid === undefined || resourceVersion === undefined) return;
      const current = { uid, resourceVersion };
      seen.set(name, { first: seen.get(name)?.first ?? current, current });
    },
  };
}

describe('the model of the API server', () => {
  it('answers any sequence of requests like the API server', async () => {
    const world = await createWorld({ controllers: [] });
    await world.client.cluster(namespaces).create({ metadata: { name: namespace } });
    const real = world.client.namespaced(configMaps, namespace);
    const realGuard = await real.create(guard);
    const server = createModelServer({ scheme: createScheme(orchVocabulary, builtinKinds) });

    const onModel = () => {
      const at = { resource: '/configmaps', namespace, subresource: '' };
      const planted = server.handle(emptyStore, { ...at, verb: 'create', name: 'guard', body: guard }, 0);
      let { store }: { store: ModelStore } = planted;
      const { resourceVersion = '' } = store.objects[`/configmaps ${namespace}/guard`]?.metadata ?? {};
      const memory = createMemory();
      return (each: Op): unknown => {
        const fence = memory.fence(each);
        const request: ApiRequest = {
          ...at,
          verb: each.verb,
          name: each.verb === 'list' ? '' : each.name,
          ...(each.verb === 'create' ? { body: bodyOf(each, {}) } : {}),
          ...(each.verb === 'update' || each.verb === 'patch' ? { body: bodyOf(each, fence) } : {}),
          ...(each.verb === 'delete' ? { preconditions: fence } : {}),
          ...(each.policy === undefined ? {} : { propagationPolicy: each.policy }),
          ...(each.holds === undefined || each.verb === 'get' || each.verb === 'list'
            ? {}
            : { while: [{ ...at, name: 'guard', resourceVersion: each.holds ? resourceVersion : '1' }] }),
        };
        const { store: next, answer } = server.handle(store, request, 0);
        store = next;
        if (!('ok' in answer)) return 'refused' in answer ? answer.refused.code : answer.lost;
        if (each.verb === 'list')
          return (answer.ok as { items: DeepReadonly<ApiObject>[] }).items
            .filter(isOurs)
            .map((item) => plain(item));
        memory.note(each.name, store.objects[`/configmaps ${namespace}/${each.name}`]);
        return each.verb === 'delete' ? 'deleted' : plain(answer.ok as DeepReadonly<ApiObject>);
      };
    };
    const onServer = () => {
      const memory = createMemory();
      const carryOut = async (each: Op): Promise<unknown> => {
        const fence = memory.fence(each);
        const options: ConditionOptions =
          each.holds === undefined
            ? {}
            : {
                while: [
                  each.holds ? unchanged(configMaps, realGuard) : unchanged(configMaps, realGuard, '1'),
                ],
              };
        switch (each.verb) {
          case 'list':
            return (await real.list()).items.filter(isOurs).map((item) => plain(item));
          case 'get':
            return plain(await real.get(each.name));
          case 'create':
            return plain(await real.create(bodyOf(each, {}) as never, options));
          case 'update':
            return plain(await real.update(bodyOf(each, fence) as never, options));
          case 'patch':
            return plain(await real.patch(each.name, 'merge', bodyOf(each, fence), options));
          case 'delete':
            await real.delete(each.name, {
              ...options,
              preconditions: fence,
              ...(each.policy === undefined ? {} : { propagationPolicy: each.policy }),
            });
            return 'deleted';
        }
      };
      return async (each: Op): Promise<unknown> => {
        try {
          return await carryOut(each);
        } catch (thrown) {
          if (thrown instanceof ApiError) return thrown.code;
          throw thrown;
        } finally {
          if (each.verb !== 'list') memory.note(each.name, await real.get(each.name).catch(() => undefined));
        }
      };
    };
    const clear = async (): Promise<void> => {
      for (const { metadata } of (await real.list()).items.filter(isOurs)) {
        const name = metadata?.name ?? '';
        await real.patch(name, 'merge', { metadata: { finalizers: null } });
        await real.delete(name, { propagationPolicy: 'Background' }).catch(() => {});
      }
    };

    await fc.assert(
      fc.asyncProperty(fc.array(op, { minLength: 1, maxLength: 12 }), async (ops) => {
        await clear();
        const [model, apiServer] = [onModel(), onServer()];
        for (const each of ops) expect(model(each)).toEqual(await apiServer(each));
      }),
      { numRuns: 40, seed: 7 },
    );
    await world.stop();
  });
});
