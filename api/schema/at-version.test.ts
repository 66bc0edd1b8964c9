import { describe, expect, it } from 'vitest';
import { atVersion } from './at-version.ts';
import { decode } from './decode.ts';
import { type Infer, listOf, mapOf, optional, ref, string, struct, value } from './schema.ts';

const Shared = struct('api.test.v1.Shared', { text: value(1, string) });
interface Shared extends Infer<typeof Shared> {}
const Part = struct('api.test.v1.Part', { name: value(1, string) });
interface Part extends Infer<typeof Part> {}
const Whole = struct('api.test.v1.Whole', {
  part: optional(1, ref<Part>(Part)),
  parts: value(2, listOf(ref<Part>(() => Part)), { listType: 'atomic' }),
  byName: value(3, mapOf(ref<Part>(Part))),
  shared: optional(4, ref<Shared>(Shared)),
});

const targetOf = (schema: unknown): unknown => {
  const { items, values, target } = schema as { items?: unknown; values?: unknown; target?: unknown };
  return target ?? targetOf(items ?? values);
};

describe('atVersion', () => {
  const types = atVersion('v1beta1', { Whole, Part });

  it('renames the given types and keeps their fields', () => {
    expect([types.Whole.name, types.Part.name]).toEqual(['api.test.v1beta1.Whole', 'api.test.v1beta1.Part']);
    expect(Object.keys(types.Whole.fields)).toEqual(Object.keys(Whole.fields));
    expect(types.Whole.fields.parts.options).toEqual({ listType: 'atomic' });
    expect(Whole.name).toBe('api.test.v1.Whole');
  });

  it('redirects references between the given types and keeps all other references', () => {
    const { part, parts, byName, shared } = types.Whole.fields;
    expect([part, parts, byName].map(({ schema }) => targetOf(schema))).toEqual([
      types.Part,
      types.Part,
      types.Part,
    ]);
    expect(targetOf(shared.schema)).toBe(Shared);
    expect(targetOf(Whole.fields.part.schema)).toBe(Part);
  });

  it('decodes the same values as the original type', () => {
    const given = () => ({
      part: { name: 'a' },
      parts: [{ name: 'b', odd: 1 }],
      byName: { c: { name: 'c' } },
    });
    expect(decode(types.Whole, given())).toEqual(decode(Whole, given()));
  });
});
