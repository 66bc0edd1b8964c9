import { describe, expect, it } from 'vitest';
import { customKinds } from '../../extensions/custom-kind.ts';
import { compareVersions } from '../../extensions/version-order.ts';
import { checkTyped } from '../../managed/validate.ts';
import { shapeOf } from '../../managed/shape.ts';
import { decode } from '../../schema/decode.ts';
import { kubernetesVocabulary as vocabulary } from '../../vocabulary/vocabulary.ts';
import { context, definition } from './definition.fixture.ts';

describe('a custom kind', () => {
  const crd = definition({
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {}, scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' } },
        additionalPrinterColumns: [{ name: 'N', type: 'integer', jsonPath: '.spec.n' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  n: { type: 'integer', default: 1 },
                  tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
                  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                },
              },
              status: { type: 'object', properties: { n: { type: 'integer' } } },
            },
          },
        },
      },
      {
        name: 'v1beta1',
        served: true,
        storage: false,
        deprecated: true,
        schema: { openAPIV3Schema: { type: 'object' } },
      },
    ],
  });
  const { stored, served } = customKinds(crd, vocabulary);
  const strategy = stored.strategy as unknown as {
    defaults(object: object, context: unknown): void;
    prepareForUpdate(next: object, previous: object, context: unknown): void;
    validate(object: object, context: unknown): { field: string }[];
  };

  it('has the names, versions and columns of its definition', () => {
    expect(stored).toMatchObject({
      group: 'example.com',
      version: 'v1',
      kind: 'Gadget',
      listKind: 'GadgetList',
      namespaced: true,
    });
    expect(served.map(({ version }) => version)).toEqual(['v1', 'v1beta1']);
    expect(served[1]?.storage?.kind).toBe(stored);
    expect(served[1]?.deprecated?.warning).toBe(
      'example.com/v1beta1 Gadget is deprecated; use example.com/v1 Gadget',
    );
    expect(stored.columns.map(({ name }) => name)).toEqual(['Name', 'N']);
    expect(served[1]?.columns.map(({ name }) => name)).toEqual(['Name', 'Age']);
    expect(Object.keys(stored.subresources)).toEqual(['status', 'scale']);
  });

  it('drops and reports fields that are unknown to its schema, and sorts keys', () => {
    const { value, unknown } = decode(stored.schema, {
      spec: { n: 2, odd: 1, free: { z: 1, a: null } },
      metadata: { name: 'a', odd: 1 },
      kind: 'Gadget',
      apiVersion: 'example.com/v1',
      more: true,
    });
    expect(unknown).toEqual(['spec.odd', 'metadata.odd', 'more']);
    expect(JSON.stringify(value)).toBe(
      '{"kind":"Gadget","apiVersion":"example.com/v1","metadata":{"name":"a"},"spec":{"free":{"a":null,"z":1},"n":2}}',
    );
  });

  it('is defaulted and validated by its schema', () => {
    const object = { metadata: { name: 'a' }, spec: { tags: 'x' } };
    strategy.defaults(object, context);
    expect(object.spec).toEqual({ tags: 'x', n: 1 });
    expect(strategy.validate(object, context).map(({ field }) => field)).toEqual(['spec.tags']);
  });

  it('increments the generation on changes outside of metadata and status, and retains the status', () => {
    const previous = { metadata: { generation: 3 }, spec: { n: 1 }, status: { n: 1 }, other: 1 };
    const next = { metadata: { generation: 3 }, spec: { n: 1 }, status: { n: 9 }, other: 2 };
    strategy.prepareForUpdate(next, previous, context);
    expect(next).toEqual({ metadata: { generation: 4 }, spec: { n: 1 }, status: { n: 1 }, other: 2 });
    const still = { metadata: { generation: 3 }, spec: { n: 1 }, status: { n: 9 }, other: 1 };
    strategy.prepareForUpdate(still, previous, context);
    expect(still).toEqual(previous);
  });

  it('is applied by the list types of its schema, and field by field where unknown fields are preserved', () => {
    const shape = shapeOf(stored.schema);
    expect(() => checkTyped(shape, { spec: { free: { a: [1] }, tags: ['a', 'b'] } })).not.toThrow();
    expect(() => checkTyped(shape, { spec: { tags: ['a', 'a'] } })).toThrow(
      '.spec.tags: duplicate entries for key [="a"]',
    );
    expect(() => checkTyped(shape, { spec: { odd: 1 } })).toThrow('.spec.odd: field not declared in schema');
  });
});

describe('the versions of a CustomResourceDefinition', () => {
  it('are sorted by priority', () => {
    const versions = ['foo1', 'v1alpha1', 'v2beta1', 'v1', 'v10', 'v2', 'v1beta2'];
    expect(versions.toSorted(compareVersions)).toEqual([
      'v10',
      'v2',
      'v1',
      'v2beta1',
      'v1beta2',
      'v1alpha1',
      'foo1',
    ]);
  });
});
