import { describe, expect, it } from 'vitest';
import { configMaps } from '../groups/index.ts';
import { type AnyKind, createScheme } from '../kinds/scheme.ts';
import { kubernetesVocabulary } from '../vocabulary/vocabulary.ts';
import { createOpenApi } from './documents.ts';
import { type ForeignSwagger, foreignPart } from './foreign.ts';
import { plainPath, plainSchema } from './plain-swagger.ts';

const PREFIX = '/apis/example.com/v1/';
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
const refer = (name: string) => ({ $ref: `#/definitions/${name}` });
const answering = (schema: object) => ({ get: { responses: { 200: { description: 'OK', schema } } } });

const openApi = createOpenApi(
  createScheme(kubernetesVocabulary, [configMaps] as unknown as readonly AnyKind[]),
  { version: 'v1' },
);

interface Document {
  readonly paths: Readonly<Record<string, unknown>>;
  readonly definitions: Readonly<Record<string, object>>;
}

const partOf = (document: object, prefix = PREFIX): ForeignSwagger => {
  const part = foreignPart(document, prefix);
  if (part === undefined) throw new Error('expected a document with something in it');
  return { etag: '1', ...part };
};
const joined = (...foreign: ForeignSwagger[]): Document =>
  JSON.parse(openApi.v2Json(foreign).toString()) as Document;

describe('foreignPart', () => {
  it('returns the paths that begin with the prefix and everything they refer to', () => {
    const { paths, definitions } = partOf({
      paths: { [`${PREFIX}foos`]: answering(refer('Foo')), '/version': answering(refer('Version')) },
      definitions: {
        Foo: { properties: { next: refer('Foo'), bar: refer('a~1Bar') } },
        'a/Bar': { type: 'string' },
        Version: {},
      },
    });
    expect([...paths.keys()]).toEqual([`${PREFIX}foos`]);
    expect([...definitions.keys()].sort()).toEqual(['Foo', 'a/Bar']);
  });

  it('inlines shared parameters', () => {
    const name = { name: 'name', in: 'path', required: true, type: 'string' };
    const { paths } = partOf({
      parameters: { 'name-1': name },
      paths: { [`${PREFIX}foos`]: { parameters: [{ $ref: '#/parameters/name-1' }], get: {} } },
    });
    expect(paths.get(`${PREFIX}foos`)).toEqual({ parameters: [name], get: {} });
  });

  it.each<[string, unknown]>([
    ['a string in place of the document', 'text'],
    ['a document without a path that begins with the prefix', { paths: { '/version': {} } }],
    [
      'a document that refers to a missing definition',
      { paths: { [`${PREFIX}foos`]: answering(refer('Foo')) }, definitions: {} },
    ],
    [
      'a document that refers to another document',
      { paths: { [`${PREFIX}foos`]: answering({ $ref: 'http://a/#/b' }) } },
    ],
  ])('returns undefined for %s', (_what, document) => {
    expect(foreignPart(document, PREFIX)).toBeUndefined();
  });
});

describe('withForeign', () => {
  const meta = { type: 'object', description: 'of another release' };
  const foo = (version: string) =>
    partOf(
      {
        paths: { [`/apis/example.com/${version}/foos`]: answering(refer('Foo')) },
        definitions: { Foo: { properties: { metadata: refer(META) } }, [META]: meta },
      },
      `/apis/example.com/${version}/`,
    );

  it('renames a conflicting definition and the references to it', () => {
    const { paths, definitions } = joined(foo('v1'));
    expect(paths[`${PREFIX}foos`]).toEqual(answering(refer('Foo')));
    expect(definitions[`${META}_v2`]).toEqual(meta);
    expect(definitions['Foo']).toEqual({ properties: { metadata: refer(`${META}_v2`) } });
    expect(definitions[META]).toEqual(openApi.v2().definitions[META]);
  });

  it('generates no name that the document of the other server defines', () => {
    const other = { type: 'string' };
    const { definitions } = joined(
      partOf({
        paths: { [`${PREFIX}foos`]: answering({ items: [refer(META), refer(`${META}_v2`)] }) },
        definitions: { [META]: meta, [`${META}_v2`]: other },
      }),
    );
    expect([definitions[`${META}_v2`], definitions[`${META}_v3`]]).toEqual([other, meta]);
  });

  it('shares a definition that is equal in two versions or on this server', () => {
    const { definitions } = joined(foo('v1'), foo('v2'));
    expect(Object.keys(definitions).filter((name) => name.includes('_v'))).toEqual([`${META}_v2`]);
    const own = openApi.v2().definitions[META];
    const same = {
      ...own,
      'x-kubernetes-group-version-kind': [{ group: 'example.com', version: 'v1', kind: 'M' }],
    };
    const again = joined(
      partOf({ paths: { [`${PREFIX}foos`]: answering(refer(META)) }, definitions: definitionsWith(same) }),
    );
    expect(again.definitions).toEqual(openApi.v2().definitions);
  });

  /** Returns the definitions of this server with one definition replaced. */
  const definitionsWith = (changed: object) => ({ ...openApi.v2().definitions, [META]: changed });

  it("ignores another server's descriptions of this server's paths", () => {
    const part: ForeignSwagger = {
      etag: '1',
      paths: new Map([['/api/v1/configmaps', {}]]),
      definitions: new Map(),
    };
    expect(joined(part).paths).toEqual(openApi.v2().paths);
  });

  it('accepts `__proto__` as a name in a document of another server', () => {
    const part = partOf(
      JSON.parse(
        `{"paths":{"${PREFIX}foos":{"get":{"schema":{"$ref":"#/definitions/__proto__"}}}},"definitions":{"__proto__":{"type":"string"}}}`,
      ) as object,
    );
    expect(openApi.v2Json([part]).toString()).toContain('"__proto__":{"type":"string"}');
  });

  it('has the same content in protobuf, except for unknown members', () => {
    expect(openApi.v2Protobuf([foo('v1')]).includes(`${META}_v2`)).toBe(true);
    expect(
      plainPath({ get: { tags: [1, 'a'], parameters: [{ name: 'x', in: 'header' }] }, trace: {} }),
    ).toEqual({
      get: {
        tags: ['a'],
        description: '',
        operationId: '',
        consumes: [],
        produces: [],
        schemes: [],
        parameters: [],
        responses: {},
      },
    });
    const schema = { type: 'array', items: { type: 5, minimum: 1 }, minItems: 'x', 'x-a': 1, example: 2 };
    expect(plainSchema(schema)).toEqual({ type: 'array', items: { minimum: 1 }, 'x-a': 1 });
  });
});
