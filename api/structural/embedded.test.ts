import { describe, expect, it } from 'vitest';
import type { JSONSchemaProps } from '../types/apiextensions-v1-schema.ts';
import { validateEmbedded } from './embedded.ts';
import { structuralOf } from './structural.ts';

const OBJECT = { type: 'object', 'x-kubernetes-embedded-resource': true };
const complaints = (schema: object, value: unknown): string[] =>
  validateEmbedded(structuralOf(schema as JSONSchemaProps), value).map(
    ({ field, message }) => `${field}: ${message}`,
  );
const spec = (schema: object): object => ({ type: 'object', properties: { spec: schema } });
const sound = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'x', namespace: 'y' } };

describe('validateEmbedded', () => {
  it.each([
    [
      'kind and apiVersion are missing',
      {},
      ['spec.apiVersion: Required value: must not be empty', 'spec.kind: Required value: must not be empty'],
    ],
    [
      'kind and apiVersion are empty',
      { apiVersion: '', kind: '' },
      [
        'spec.apiVersion: Invalid value: "": must not be empty',
        'spec.kind: Invalid value: "": must not be empty',
      ],
    ],
    ['nothing for a valid object', sound, []],
    ['nothing for a missing name', { ...sound, metadata: { generateName: 'x-' } }, []],
    [
      'apiVersion has too many parts',
      { ...sound, apiVersion: 'a/b/c' },
      ['spec.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c'],
    ],
    [
      'the kind has invalid characters',
      { ...sound, kind: 'No kind' },
      [
        `spec.kind: Invalid value: "No kind": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
      ],
    ],
  ])('reports that %s', (_, value, expected) => {
    expect(complaints(spec(OBJECT), { spec: value })).toEqual(expected);
  });

  it('validates metadata like the metadata of any other object', () => {
    const bad = { ...sound, metadata: { name: 'x', labels: { 'a b': 'c' } } };
    expect(complaints(spec(OBJECT), { spec: bad }).join()).toMatch(
      /^spec\.metadata\.labels: Invalid value: "a b"/,
    );
  });

  it('validates objects within lists, maps and nested objects, and ignores values without embedded schemas', () => {
    const list = { type: 'array', items: OBJECT };
    expect(complaints(spec(list), { spec: [sound, { kind: 'A' }] })).toEqual([
      'spec[1].apiVersion: Required value: must not be empty',
    ]);
    const map = { type: 'object', additionalProperties: OBJECT };
    expect(complaints(spec(map), { spec: { k: { apiVersion: 'v1' } } })).toEqual([
      'spec[k].kind: Required value: must not be empty',
    ]);
    expect(complaints(spec({ type: 'object' }), { spec: {} })).toEqual([]);
    expect(complaints(spec(OBJECT), { spec: 'no object' })).toEqual([]);
  });
});
