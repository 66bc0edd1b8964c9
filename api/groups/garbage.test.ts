import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ApiObject, Kind, ObjectSubresource } from '../kinds/kind.ts';
import { isVirtualSubresource } from '../kinds/kind.ts';
import { DecodeError } from '../schema/decode.ts';
import { NOW_MS, context, created } from './fixture.ts';
import { builtinKinds } from './index.ts';
import { shaped } from './shaped.fixture.ts';

const wildCount = 60;

function throughEverything(kind: Kind, body: unknown): void {
  const { object } = created(kind, body);
  const { strategy } = kind;
  for (const field of Object.values(kind.selectableFields)) expect(typeof field(object)).toBe('string');
  for (const { cell } of kind.columns) expect(cell(object, NOW_MS)).toBeDefined();
  const next = structuredClone(object);
  strategy.prepareForUpdate?.(next, object, context);
  strategy.validateUpdate?.(next, object, context);
  for (const each of Object.values(kind.subresources)) {
    if (isVirtualSubresource(each)) continue;
    const subresource: ObjectSubresource = each;
    const other = structuredClone(object);
    subresource.prepareForUpdate(other, object, context);
    subresource.validateUpdate?.(other, object, context);
  }
}

describe.each(builtinKinds.map((kind) => [kind.kind, kind as unknown as Kind] as const))(
  'the hooks of %s',
  (_name, kind) => {
    it('do not throw for any decoded object', () => {
      fc.assert(
        fc.property(shaped(kind.schema, 7), (body) => {
          try {
            throughEverything(kind, body);
          } catch (thrown) {
            if (!(thrown instanceof DecodeError)) throw thrown;
          }
        }),
        { numRuns: wildCount },
      );
    });

    it('do not throw for any JSON', () => {
      const object = fc.record({ metadata: fc.jsonValue(), spec: fc.jsonValue(), status: fc.jsonValue() });
      fc.assert(
        fc.property(
          fc.oneof(object, fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<ApiObject>),
          (body) => {
            try {
              throughEverything(kind, body);
            } catch (thrown) {
              if (!(thrown instanceof DecodeError)) throw thrown;
            }
          },
        ),
        { numRuns: wildCount },
      );
    });
  },
);
