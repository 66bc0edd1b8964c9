import { describe, expect, it } from 'vitest';
import { builtinKinds, csiNodes, pods, roles } from '../../../api/groups/index.ts';
import type { AnyKind } from '../../../api/kinds/scheme.ts';
import { type StructSchema, resolve } from '../../../api/schema/schema.ts';
import { type JsonObject, isObject } from '../../../api/schema/own.ts';
import { createScheme } from '../../../api/kinds/scheme.ts';
import { kubernetesVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { decodeBody } from './decoding.ts';
import { exampleOf } from '../examples.fixture.ts';
import { trackUpdate } from '../fields/tracking.ts';
import { pod, startFixture, writing } from '../registry.fixture.ts';
import type { Resource } from '../resource.ts';

const scheme = createScheme(kubernetesVocabulary, builtinKinds);
/** Maximum number of fields in a path. Types refer to each other in cycles, and no list is nested deeper. */
const MAX_DEPTH = 8;

/** Yields the paths, through structs only, of lists that Go encodes even if they are empty. */
function* listsOf(schema: StructSchema, path: readonly string[] = []): Generator<readonly string[]> {
  for (const [name, field] of Object.entries(schema.fields)) {
    const target = resolve(field.schema);
    const below = [...path, name];
    if (target.kind === 'array' && field.presence === 'required') yield below;
    if (target.kind === 'struct' && below.length < MAX_DEPTH) yield* listsOf(target, below);
  }
}

/** Returns the lists that can be owned through the main endpoint, which ignores the status. */
const ownLists = ({ schema }: AnyKind): readonly (readonly string[])[] =>
  [...listsOf(schema)].filter(([first]) => first !== 'status');

const cases = builtinKinds
  .filter((kind) => !kind.virtual)
  .flatMap((kind) =>
    ownLists(kind).map((path) => [`${kind.group}/${kind.version}`, kind.kind, path, kind] as const),
  );

/** Returns `object` with an empty list at the path. */
function withEmpty(object: JsonObject, [name = '', ...rest]: readonly string[]): JsonObject {
  const held = object[name];
  return { ...object, [name]: rest.length === 0 ? [] : withEmpty(isObject(held) ? held : {}, rest) };
}

/** Returns the fields that the writer of a new object owns, before validation. */
function ownedOf(kind: AnyKind, body: object): unknown {
  const resource = {
    kind,
    scheme,
    typeMeta: scheme.typeMetaOf(kind),
    environment: { clock: { now: () => 0 } },
  } as unknown as Resource;
  const context = writing({ emptied: new Set() });
  const object = decodeBody(resource, body, context);
  trackUpdate(resource, '', undefined, object, context);
  return object.metadata?.managedFields?.[0]?.fieldsV1;
}

/** True if the fields include the path, or a struct that contains the path and is owned as a whole. */
function owns(fields: unknown, path: readonly string[]): boolean {
  let held = fields;
  for (const name of path) {
    if (!isObject(held)) return false;
    if (Object.keys(held).length === 0) return held !== fields;
    held = held[`f:${name}`];
  }
  return held !== undefined;
}

describe('an empty list that Go encodes', () => {
  it('exists in many kinds', () => {
    expect(new Set(cases.map(([, kind]) => kind)).size).toBeGreaterThan(5);
  });

  it.each(cases)('is owned by its writer: %s %s %j', (_version, _kind, path, kind) => {
    const example = exampleOf(kind) as unknown as JsonObject;
    expect(owns(ownedOf(kind, withEmpty(example, path)), path)).toBe(true);
  });
});

describe('an empty list', () => {
  const written = async (kind: AnyKind, body: object): Promise<unknown> => {
    const { of } = await startFixture();
    const { object } = await of(kind).create(
      kind.namespaced ? 'default' : '',
      body,
      writing({ emptied: new Set() }),
    );
    return object.metadata?.managedFields?.[0]?.fieldsV1;
  };

  it('is owned if it is stored as null', async () => {
    const fields = await written(csiNodes, { metadata: { name: 'n' }, spec: { drivers: [] } });
    expect(fields).toEqual({ 'f:spec': { 'f:drivers': {} } });
    expect(await written(roles, { metadata: { name: 'r' }, rules: [] })).toEqual({ 'f:rules': {} });
  });

  it('is owned within an item of a list', async () => {
    const volumes = [{ name: 'v', projected: { sources: [] } }];
    expect(await written(pods, pod('p', { volumes }))).toMatchObject({
      'f:spec': {
        'f:volumes': { 'k:{"name":"v"}': { 'f:projected': { 'f:sources': {} } } },
      },
    });
  });

  it('is not owned if Go omits it', async () => {
    const fields = await written(pods, pod('p', { tolerations: [], nodeSelector: {} }));
    expect(JSON.stringify(fields)).not.toMatch(/tolerations|nodeSelector/);
  });
});
