import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../schema/own.ts';
import { anything, int32, listOf, mapOf, optional, ref, string, struct, value } from '../schema/schema.ts';
import { PatchError } from './patch-error.ts';
import { applyStrategicMergePatch } from './strategic-merge.ts';

const merge = (mergeKey?: string) => ({
  patchStrategy: ['merge'] as const,
  ...(mergeKey === undefined ? {} : { patchMergeKey: mergeKey }),
});
const Env = struct('v1.Env', { name: value(1, string), value: value(2, string) });
const Box = struct('v1.Box', {
  name: value(1, string),
  image: value(2, string),
  env: value(3, listOf(ref(Env)), merge('name')),
  args: value(4, listOf(string)),
});
const Source = struct('v1.Source', { file: optional(1, anything), disk: optional(2, anything) });
const Thing = struct('v1.Thing', {
  labels: value(1, mapOf(string)),
  finalizers: value(2, listOf(string), merge()),
  boxes: value(3, listOf(ref(Box)), merge('name')),
  source: optional(4, ref(Source), { patchStrategy: ['retainKeys'] }),
  fixed: optional(5, mapOf(string), { patchStrategy: ['replace'] }),
  count: optional(6, int32),
});

const patched = (document: JsonObject, patch: unknown): JsonObject =>
  applyStrategicMergePatch(document, patch, Thing);
const names = (object: JsonObject): unknown[] =>
  (object['boxes'] as { name: string }[]).map(({ name }) => name);
const boxes = (...of: string[]): { name: string }[] => of.map((name) => ({ name }));

describe('applyStrategicMergePatch', () => {
  it('merges maps, replaces scalars and removes keys whose value is null', () => {
    expect(
      patched({ labels: { a: '1', b: '2' }, count: 1 }, { labels: { b: null, c: '3' }, count: null }),
    ).toEqual({ labels: { a: '1', c: '3' } });
  });

  it('replaces fields with the strategy `replace`, and lists without a strategy', () => {
    expect(patched({ fixed: { a: '1' } }, { fixed: { b: '2' } })).toEqual({ fixed: { b: '2' } });
    expect(patched({ boxes: [{ name: 'a', args: ['x'] }] }, { boxes: [{ name: 'a', args: ['y'] }] })).toEqual(
      {
        boxes: [{ name: 'a', args: ['y'] }],
      },
    );
  });

  it('merges lists of objects by their key, and inserts new items before unrelated live items', () => {
    expect(
      patched(
        { boxes: [{ name: 'a', image: '1', env: [{ name: 'E', value: '1' }] }, { name: 'b' }] },
        { boxes: [{ name: 'c' }, { name: 'a', image: '2', env: [{ name: 'F', value: '2' }] }] },
      ),
    ).toEqual({
      boxes: [
        { name: 'c' },
        {
          name: 'a',
          image: '2',
          env: [
            { name: 'F', value: '2' },
            { name: 'E', value: '1' },
          ],
        },
        { name: 'b' },
      ],
    });
  });

  it('joins lists of scalars without duplicates, with the scalars of the patch first', () => {
    expect(patched({ finalizers: ['a', 'b'] }, { finalizers: ['c', 'a'] })['finalizers']).toEqual([
      'c',
      'a',
      'b',
    ]);
  });

  it('deletes and replaces whole maps as `$patch` states', () => {
    expect(patched({ labels: { a: '1' } }, { labels: { $patch: 'delete' } })).toEqual({ labels: {} });
    expect(patched({ labels: { a: '1' } }, { labels: { $patch: 'replace', b: '2' } })).toEqual({
      labels: { b: '2' },
    });
  });

  it('deletes items and replaces whole lists as `$patch` in an item states', () => {
    const document = { boxes: boxes('a', 'b', 'c') };
    expect(names(patched(document, { boxes: [{ name: 'b', $patch: 'delete' }] }))).toEqual(['a', 'c']);
    expect(names(patched(document, { boxes: [{ $patch: 'replace' }, { name: 'z' }] }))).toEqual(['z']);
  });

  it('orders items by `$setElementOrder` and interleaves all other items', () => {
    const order = (...of: string[]) => ({ '$setElementOrder/boxes': boxes(...of) });
    expect(names(patched({ boxes: boxes('a', 'b', 'c') }, order('c', 'a')))).toEqual(['b', 'c', 'a']);
    expect(
      names(patched({ boxes: boxes('a', 'b') }, { ...order('b', 'n', 'a'), boxes: boxes('n') })),
    ).toEqual(['b', 'n', 'a']);
    expect(patched({ finalizers: ['a', 'b'] }, { '$setElementOrder/finalizers': ['b', 'a'] })).toEqual({
      finalizers: ['b', 'a'],
    });
  });

  it('removes the scalars in `$deleteFromPrimitiveList` from a list', () => {
    const patch = { '$deleteFromPrimitiveList/finalizers': ['b', 'z'] };
    expect(patched({ finalizers: ['a', 'b'] }, patch)).toEqual({ finalizers: ['a'] });
    expect(patched({}, patch)).toEqual({});
  });

  it('retains only the members that `$retainKeys` names', () => {
    expect(
      patched({ source: { file: { path: '/x' } } }, { source: { $retainKeys: ['disk'], disk: { size: 1 } } }),
    ).toEqual({ source: { disk: { size: 1 } } });
  });

  it('copies the whole patch value if the object has no value or a value of another type', () => {
    expect(patched({ labels: 'text' }, { labels: { a: '1' }, boxes: boxes('a') })).toEqual({
      labels: { a: '1' },
      boxes: boxes('a'),
    });
  });

  it.each<[JsonObject, JsonObject, JsonObject]>([
    [{}, { labels: { a: null } }, { labels: {} }],
    [{}, { labels: { a: null, b: '1' } }, { labels: { b: '1' } }],
    [{}, { labels: null, count: null }, {}],
    [
      {},
      { source: { file: { deep: { path: null, kept: 1 } } } },
      { source: { file: { deep: { kept: 1 } } } },
    ],
    [{ source: {} }, { source: { disk: { size: null } } }, { source: { disk: {} } }],
    [{ labels: 'text' }, { labels: { a: null } }, { labels: {} }],
    [{}, { boxes: [{ name: 'a', image: null, args: [null] }] }, { boxes: [{ name: 'a', args: [null] }] }],
    [{}, { source: { file: [null, [{ a: null }]] } }, { source: { file: [null, [{}]] } }],
    [{}, { labels: { $patch: 'replace', a: null } }, { labels: { $patch: 'replace' } }],
    [{}, { source: { $retainKeys: ['disk'], disk: null } }, { source: { $retainKeys: ['disk'] } }],
    [{}, { '$deleteFromPrimitiveList/finalizers': null }, {}],
    [{ finalizers: 'text' }, { '$deleteFromPrimitiveList/finalizers': ['a'] }, { finalizers: 'text' }],
    // Upstream retains nulls to which it does not descend: nulls in a complete replacement and in a new item
    // of a merged list.
    [{ fixed: { a: '1' } }, { fixed: { b: null } }, { fixed: { b: null } }],
    [
      { boxes: [{ name: 'a' }] },
      { boxes: [{ name: 'b', image: null }] },
      { boxes: [{ name: 'b', image: null }, { name: 'a' }] },
    ],
  ])('patches %j with the nulls of %j: %j', (document, patch, expected) => {
    expect(patched(document, patch)).toEqual(expected);
  });

  it('adds no null within a key that the object lacks', () => {
    const nullIn = (value: unknown): boolean =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.values(value).some((each) => each === null || nullIn(each))
        : Array.isArray(value) && value.some(nullIn);
    const objects = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.jsonValue({ maxDepth: 4 }));
    fc.assert(
      fc.property(objects, (change) => {
        expect(nullIn(patched({}, { source: { file: change } }))).toBe(false);
      }),
    );
  });

  it.each<[unknown, string, string]>([
    [[], 'malformed', 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
    [true, 'malformed', 'json: cannot unmarshal bool into Go value of type map[string]interface {}'],
    [{ labels: { $patch: 'frob' } }, 'unmergeable', 'unknown patch type: frob in map: map[$patch:frob]'],
    [
      { boxes: [{ image: 'x' }] },
      'unmergeable',
      'map: map[image:x] does not contain declared merge key: name',
    ],
    [
      { boxes: [{ name: 'a', $patch: 'merge' }] },
      'unmergeable',
      'merging lists cannot yet be specified in the patch',
    ],
    [{ boxes: ['a'] }, 'unmergeable', 'list element types are not identical: [[map[name:a]] [a]]'],
    [{ finalizers: [['a']] }, 'unmergeable', 'list element types are not identical: [[f] [[a]]]'],
    [{ source: { $retainKeys: ['disk'], file: {} } }, 'malformed', 'invalid patch format of retainKeys'],
    [{ $retainKeys: 'labels' }, 'malformed', 'invalid patch format of retainKeys'],
    [{ '$setElementOrder/boxes': 'a' }, 'unmergeable', 'expected a []interface {}, but received a string'],
    [
      { '$setElementOrder/boxes': boxes('b'), boxes: boxes('a') },
      'unmergeable',
      "The order in patch list:\n[map[name:a]]\n doesn't match $setElementOrder list:\n[map[name:b]]\n",
    ],
    [{ $deleteFromPrimitiveListfinalizers: ['a'] }, 'malformed', 'invalid patch format of primitive list'],
  ])('rejects %j', (patch, code, message) => {
    const document = { boxes: boxes('a'), finalizers: ['f'], labels: {}, source: {} };
    const act = (): JsonObject => patched(document, patch);
    expect(act).toThrow(PatchError);
    expect(act).toThrow(expect.objectContaining({ code, message }));
  });

  it('distinguishes a float merge key from an integer merge key', () => {
    const Port = struct('v1.Port', { port: value(1, int32), name: value(2, string) });
    const Ports = struct('v1.Ports', { ports: value(1, listOf(ref(Port)), merge('port')) });
    const document = { ports: [{ port: 80, name: 'a' }] };
    const patch = { ports: [{ port: 80, name: 'b' }] };
    expect(applyStrategicMergePatch(document, patch, Ports)).toEqual(patch);
    const written = new Map([['ports[0].port', '80.0']]);
    expect(applyStrategicMergePatch(document, patch, Ports, written)).toEqual({
      ports: [
        { port: 80, name: 'b' },
        { port: 80, name: 'a' },
      ],
    });
  });

  it('replaces a struct by a float or an integer', () => {
    const Box = struct('v1.Box', { size: value(1, int32) });
    const Boxed = struct('v1.Boxed', { box: value(1, ref(Box)) });
    const written = new Map([['box', '1.5']]);
    expect(applyStrategicMergePatch({ box: { size: 1 } }, { box: 1.5 }, Boxed, written)).toEqual({
      box: 1.5,
    });
    expect(() =>
      applyStrategicMergePatch(
        { box: {} },
        { '$setElementOrder/box': 1.5 },
        Boxed,
        new Map([['$setElementOrder/box', '1.5']]),
      ),
    ).toThrow('expected a []interface {}, but received a float64');
  });

  it('treats __proto__ as a key', () => {
    const result = patched({ labels: { a: '1' } }, JSON.parse('{"labels":{"__proto__":"x"}}'));
    expect(JSON.stringify(result)).toBe('{"labels":{"a":"1","__proto__":"x"}}');
  });

  it('merges long lists in linear time', () => {
    const live = Array.from({ length: 20_000 }, (_, index) => ({ name: `live-${index}` }));
    const changes = Array.from({ length: 20_000 }, (_, index) => ({
      name: `live-${index + 10_000}`,
      image: 'x',
    }));
    expect(names(patched({ boxes: live }, { boxes: changes }))).toHaveLength(30_000);
  });

  it('changes neither argument, and is idempotent', () => {
    const list = fc
      .uniqueArray(fc.constantFrom(...'abcde'))
      .map((each) => each.map((name) => ({ name, image: name })));
    const object = fc.record(
      {
        labels: fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), fc.string()),
        boxes: list,
        count: fc.nat(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(object, object, (document, patch) => {
        const before = JSON.stringify([document, patch]);
        const once = patched(document, patch);
        expect(patched(once, patch)).toEqual(once);
        expect(JSON.stringify([document, patch])).toBe(before);
      }),
    );
  });
});
