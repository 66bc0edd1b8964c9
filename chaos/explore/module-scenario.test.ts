import { describe, expect, it } from 'vitest';
import { builtinKinds } from '../../api/groups/index.ts';
import { createScheme } from '../../api/kinds/index.ts';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import type { Action as UserAction } from '../world/user.ts';
import { NOON } from './instants.ts';
import { scenarioOfActions } from './module-scenario.ts';
import { createModelServer, emptyStore } from './model-store.ts';
import { planted } from './steps.ts';

const scheme = createScheme(orchVocabulary, builtinKinds);
const server = createModelServer({ scheme });

const on = (atMs: number, name = 'a') =>
  ({ atMs, resource: '/configmaps', namespace: 'team', name }) as const;
const create = (atMs: number, name?: string, metadata = {}): UserAction => ({
  ...on(atMs, name),
  verb: 'create',
  object: { metadata },
});

const scenarioOf = (actions: readonly UserAction[], instantsMs?: readonly number[]) =>
  scenarioOfActions({ controller: 'mine', scheme, invariants: [], actions, instantsMs });

describe('the scenario of a module', () => {
  it('has the objects that exist after the actions before the search', () => {
    const { objects } = scenarioOf([
      create(-60_000, 'a', { finalizers: ['example.com/hold', 'example.com/other'] }),
      { ...on(0), verb: 'patch', withoutFinalizer: 'example.com/hold', patch: { data: { x: 'y' } } },
      create(-1_000, 'b'),
      { ...on(-500, 'b'), verb: 'delete' },
      { ...create(0, 'c'), owners: [{ resource: '/configmaps', name: 'a', block: true }] },
    ]);
    expect(objects.map(({ object }) => object.metadata?.name)).toEqual(['a', 'c']);
    const [a, c] = objects;
    expect(a?.object).toMatchObject({
      data: { x: 'y' },
      metadata: { finalizers: ['example.com/other'], creationTimestamp: '2026-03-02T11:59:00Z' },
    });
    const uid = objects.reduce(planted, emptyStore).objects['/configmaps team/a']?.metadata?.uid;
    expect(c?.object.metadata?.ownerReferences).toEqual([
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid, blockOwnerDeletion: true },
    ]);
  });

  it('keeps the order of actions on one object, which apply if the object allows it', () => {
    const { objects, actions } = scenarioOf([
      create(0),
      { ...on(20), verb: 'delete', propagation: 'Background' },
      create(30),
      { ...on(10), verb: 'patch', patch: { data: { x: 'y' } } },
      { ...on(40), verb: 'delete' },
    ]);
    expect(actions.map(({ name, after }) => [name, after])).toEqual([
      ['the user sends patch configmaps team/a', undefined],
      ['the user sends delete configmaps team/a', 'the user sends patch configmaps team/a'],
      ['the user sends create configmaps team/a', 'the user sends delete configmaps team/a'],
      ['the user sends delete configmaps team/a (2)', 'the user sends create configmaps team/a'],
    ]);
    let store = objects.reduce(planted, emptyStore);
    for (const [at, { request }] of actions.entries()) {
      const sent = request(store.objects, NOON);
      if (sent === undefined) throw new Error(`action ${at} is not possible`);
      const { answer, store: after } = server.handle(store, sent, NOON);
      expect(answer).toHaveProperty('ok');
      store = after;
    }
    expect(Object.keys(store.objects)).toEqual([]);
    expect(actions.map(({ request }) => request(store.objects, NOON)?.verb)).toEqual([
      undefined,
      undefined,
      'create',
      undefined,
    ]);
  });

  it('shows the times of its actions on the clock, or those that it names', () => {
    const actions = [create(-5), create(10, 'b'), create(7, 'c'), create(10, 'd')];
    expect(scenarioOf(actions).instants).toEqual([NOON, NOON + 7, NOON + 10]);
    expect(scenarioOf(actions, [60_000, 1_000]).instants).toEqual([NOON, NOON + 1_000, NOON + 60_000]);
  });

  it.each([
    [
      'an unknown resource',
      [{ ...create(1), resource: 'example.com/things' }],
      /"example\.com\/things".*not a known/,
    ],
    [
      'an owner of an unknown resource',
      [{ ...create(0), owners: [{ resource: '/things', name: 'x' }] }],
      /"\/things"/,
    ],
    [
      'an impossible action',
      [{ ...on(0), verb: 'delete' }],
      /cannot delete configmaps team\/a before the search/,
    ],
    [
      'a refused action',
      [create(0), { ...on(0), verb: 'patch', patch: { metadata: { uid: 'x' } } }],
      /cannot patch.*uid/,
    ],
  ] as const)('rejects %s', (_, actions, message) => {
    expect(() => scenarioOf(actions as readonly UserAction[])).toThrow(message);
    expect(() => scenarioOf(actions as readonly UserAction[])).toThrow(
      expect.objectContaining({ code: 'ERR_MODULE' }) as Error,
    );
  });

  it('leaves out the definitions of custom kinds, which come with the controller', () => {
    const definition = {
      ...create(0, 'backups.example.com'),
      resource: 'apiextensions/customresourcedefinitions',
    };
    expect(scenarioOf([definition])).toMatchObject({ objects: [], actions: [] });
  });
});
