import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtinKinds } from '../../../api/groups/index.ts';
import { arbitraryOf } from '../../../api/protobuf/arbitrary.fixture.ts';
import { decodeEnveloped, encodeObject, openEnvelope } from '../../../api/protobuf/envelope.ts';
import { decode } from '../../../api/schema/decode.ts';
import { writeJson } from '../../../api/schema/exact-json.ts';
import { parseJson } from '../../../api/schema/json.ts';
import { kubernetesVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { createScheme } from '../../../api/kinds/scheme.ts';
import { parseYaml, toYaml } from '../../../api/yaml/yaml.ts';

const scheme = createScheme(kubernetesVocabulary, builtinKinds);
const kinds = builtinKinds.map((kind) => [scheme.apiVersionOf(kind), kind.kind, kind] as const);

/** Returns arbitrary objects of a kind in their stored form, which each round trip must preserve. */
const canonical = (kind: (typeof builtinKinds)[number]): fc.Arbitrary<object> =>
  arbitraryOf(kind.schema).map((drawn) => {
    const object = { ...(drawn as object), ...scheme.typeMetaOf(kind) };
    return decode<object>(kind.schema, structuredClone(object)).value;
  });

describe.each(kinds)('%s %s', (_apiVersion, _kind, kind) => {
  const again = (read: unknown): object => decode<object>(kind.schema, read).value;
  const runs = { numRuns: 12 };

  it('is preserved by a round trip through JSON', () => {
    fc.assert(
      fc.property(canonical(kind), (object) => {
        expect(again(parseJson(writeJson(object)).value)).toEqual(object);
      }),
      runs,
    );
  });

  it('is preserved by a round trip through YAML', () => {
    fc.assert(
      fc.property(canonical(kind), (object) => {
        expect(again(parseYaml(toYaml(object)))).toEqual(object);
      }),
      runs,
    );
  });

  it('is preserved by a round trip through protobuf', () => {
    fc.assert(
      fc.property(canonical(kind), (object) => {
        const envelope = openEnvelope(encodeObject(kind.schema, object));
        expect(again(decodeEnveloped(envelope, kind.schema))).toEqual(object);
      }),
      runs,
    );
  });
});
