import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { customKinds } from '../extensions/custom-kind.ts';
import { configMaps } from '../groups/index.ts';
import { type AnyKind, type Scheme, createScheme } from '../kinds/scheme.ts';
import { readJson } from '../schema/exact-json.ts';
import type { JSONSchemaProps } from '../types/apiextensions-v1-schema.ts';
import { kubernetesVocabulary as vocabulary } from '../vocabulary/vocabulary.ts';
import { type OpenApi, createOpenApi } from './documents.ts';
import { schemasOf } from './structural-schemas.fixture.ts';

const builtIn = configMaps as unknown as AnyKind;

const kindOf = (kind: string, spec: JSONSchemaProps): AnyKind =>
  customKinds(
    {
      metadata: { name: `${kind.toLowerCase()}s.example.com` },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: `${kind.toLowerCase()}s`, kind },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
          },
        ],
      },
    },
    vocabulary,
  ).stored;

/**
 * Returns the documents of a server to which the given custom kinds were added, and the kinds that the server
 * reports.
 */
function published(...kinds: readonly AnyKind[]) {
  const reported: [string, string][] = [];
  let present = createScheme(vocabulary, [builtIn]);
  const scheme = new Proxy({} as Scheme, { get: (_target, name) => present[name as keyof Scheme] });
  const openApi = createOpenApi(scheme, {
    version: 'v1',
    onUnpublishable: ({ kind }, why) => void reported.push([kind, String(why)]),
  });
  present = createScheme(vocabulary, [builtIn, ...kinds]);
  return { openApi, reported };
}

const PATH = 'apis/example.com/v1';
const FORMS: readonly (readonly [string, (openApi: OpenApi) => Buffer])[] = [
  ['version 2 as JSON', (openApi) => openApi.v2Json()],
  ['version 2 as protobuf', (openApi) => openApi.v2Protobuf()],
  ['version 3 as JSON', (openApi) => openApi.v3Json(PATH)],
  ['version 3 as protobuf', (openApi) => openApi.v3Protobuf(PATH)],
];

const good = kindOf('Good', { type: 'integer', maximum: 5 });
/**
 * Returns a kind that no form of the documents can contain. No schema from a client is known to cause this.
 */
const broken = (kind: string): AnyKind =>
  kindOf(kind, {
    type: 'string',
    enum: [
      {
        toJSON() {
          throw new Error('unwritable');
        },
      },
    ],
  });

describe.each(FORMS)('%s', (_name, write) => {
  it('defines any custom resource', () => {
    fc.assert(
      fc.property(schemasOf(2), (schema) => {
        const { openApi, reported } = published(kindOf('Any', schema), good);
        const bytes = write(openApi);
        expect(reported).toEqual([]);
        expect(bytes.includes('com.example.v1.Any')).toBe(true);
        expect(bytes.includes('com.example.v1.Good')).toBe(true);
      }),
      { numRuns: 25 },
    );
  });

  it('omits kinds that cannot be written, reports each such kind once, and describes all other kinds', () => {
    const { openApi, reported } = published(
      good,
      broken('Bad'),
      kindOf('Fine', { type: 'string' }),
      broken('Worse'),
    );
    for (let time = 0; time < 2; time++) {
      const text = write(openApi).toString('latin1');
      for (const kind of ['Good', 'Fine']) expect(text).toContain(`com.example.v1.${kind}`);
      for (const kind of ['Bad', 'Worse']) expect(text).not.toContain(`com.example.v1.${kind}`);
    }
    expect(reported).toEqual([
      ['Bad', 'Error: unwritable'],
      ['Worse', 'Error: unwritable'],
    ]);
    expect(openApi.v3Kinds(PATH).map(({ kind }) => kind)).toEqual(['Good', 'Fine']);
  });
});

it('the documents contain all digits of 64-bit numbers in forms that can hold them', () => {
  const limits = {
    type: 'integer',
    maximum: 4611686018427387904n,
    minimum: -9223372036854775808n,
    multipleOf: 9007199254740993n,
    maxLength: 9223372036854775807n,
    maxItems: 9007199254740993n,
    maxProperties: 9223372036854775807n,
    enum: [9007199254740993n],
  };
  const { openApi } = published(kindOf('Big', limits as JSONSchemaProps));
  for (const bytes of [openApi.v2Json(), openApi.v3Json(PATH)]) {
    const text = bytes.toString();
    for (const [name, value] of Object.entries(limits))
      if (typeof value === 'bigint') expect(text).toContain(`"${name}":${value}`);
    expect(readJson(text)).toBeTypeOf('object');
  }
  const count = Buffer.from('ffffffffffffffff7f', 'hex');
  const double = Buffer.alloc(8);
  double.writeDoubleLE(2 ** 62);
  for (const bytes of [openApi.v2Protobuf(), openApi.v3Protobuf(PATH)]) {
    expect(bytes.includes(count)).toBe(true);
    expect(bytes.includes(double)).toBe(true);
  }
});
