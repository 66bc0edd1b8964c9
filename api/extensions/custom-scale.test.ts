import { describe, expect, it } from 'vitest';
import { customScale, validateScale } from './custom-scale.ts';

const PATHS = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.status.selector',
};
const messages = (errors: readonly { field: string; message: string }[]): string[] =>
  errors.map(({ field, message }) => `${field}: ${message}`);

describe('the scale subresource of a custom resource', () => {
  const { scale } = customScale(PATHS, {});

  it('is read at the paths of the definition', () => {
    const object = { spec: { replicas: 3 }, status: { replicas: 2, selector: 'a=b' } };
    expect(scale?.read(object)).toEqual({ specReplicas: 3, statusReplicas: 2, selector: 'a=b' });
    expect(scale?.read({ spec: { replicas: 'three' } })).toEqual({
      specReplicas: undefined,
      statusReplicas: undefined,
      selector: undefined,
    });
  });

  it('is written at the paths of the definition, which creates missing objects on the path', () => {
    const object = { metadata: { name: 'x' } };
    scale?.write(object, 5);
    expect(object).toEqual({ metadata: { name: 'x' }, spec: { replicas: 5 } });
  });

  it('is not written through values that are not objects, nor to a prototype', () => {
    const object = { spec: 'text' };
    scale?.write(object, 5);
    expect(object).toEqual({ spec: 'text' });
    const hostile = customScale({ ...PATHS, specReplicasPath: '.__proto__.replicas' }, {});
    hostile.scale?.write({}, 5);
    expect(({} as { replicas?: number }).replicas).toBeUndefined();
  });

  it('increments the generation exactly if the desired number of replicas changes', () => {
    const prepare = customScale(PATHS, {}).writes?.prepareForUpdate as
      ((next: object, previous: object) => void) | undefined;
    const previous = { metadata: { generation: 4 }, spec: { replicas: 1 } };
    const same = structuredClone(previous);
    prepare?.(same, previous);
    expect(same.metadata.generation).toBe(4);
    const more = { ...structuredClone(previous), spec: { replicas: 2 } };
    prepare?.(more, previous);
    expect(more.metadata.generation).toBe(5);
  });

  it.each([
    [3, []],
    [undefined, []],
    [-1, ['.spec.replicas: Invalid value: -1: should be a non-negative integer']],
    [2 ** 31, ['.spec.replicas: Invalid value: 2147483648: should be less than or equal to 2147483647']],
    [
      'x',
      [
        '.spec.replicas: Invalid value: 0: .spec.replicas accessor error: x is of the type string, expected int64',
      ],
    ],
  ])('is validated as upstream does for %s replicas', (replicas, expected) => {
    expect(messages(validateScale(PATHS, { spec: { replicas } }, 'specReplicasPath'))).toEqual(expected);
  });

  it.each([
    [
      { spec: 5 },
      [
        '.spec.replicas: Invalid value: 0: .spec.replicas accessor error: 5 is of the type int64, expected map[string]interface{}',
      ],
    ],
    [{ spec: null }, []],
    [{}, []],
  ])('reports values on its paths that are not objects: %j', (object, expected) => {
    expect(messages(validateScale(PATHS, object, 'specReplicasPath'))).toEqual(expected);
  });

  it('is rejected if the scaled object is invalid', () => {
    const { writes } = customScale(PATHS, {
      validate: () => [{ type: 'FieldValueRequired', field: 'spec.image', message: 'Required value' }],
    });
    const context = {} as never;
    expect(messages(writes?.validateUpdate?.({}, {}, context) ?? [])).toEqual(['spec.image: Required value']);
  });

  it('requires a string as selector', () => {
    expect(messages(validateScale(PATHS, { status: { selector: ['a'] } }, 'statusReplicasPath'))).toEqual([
      '.status.selector: Invalid value: "": .status.selector accessor error: [a] is of the type []interface {}, expected string',
    ]);
  });
});
