import { describe, expect, it } from 'vitest';
import { structuralOf } from '../structural/structural.ts';
import type { JSONSchemaProps } from '../types/apiextensions-v1-schema.ts';
import { kubernetesVocabulary as vocabulary, orchVocabulary } from '../vocabulary/vocabulary.ts';
import { describeStructural } from './structural.ts';

const METADATA = { $ref: '#/META' };
const describedIn = (choices: boolean, schema: object, words = vocabulary): object =>
  describeStructural(structuralOf(schema as JSONSchemaProps), { vocabulary: words, choices }, () => METADATA);

describe('describeStructural', () => {
  it.each([
    [
      'keywords unchanged',
      { type: 'integer', minimum: 0, maximum: 9, exclusiveMaximum: true, multipleOf: 3, format: 'int32' },
      { type: 'integer', minimum: 0, maximum: 9, exclusiveMaximum: true, multipleOf: 3, format: 'int32' },
    ],
    [
      'constraints of lists, maps and strings',
      {
        type: 'array',
        items: { type: 'string', pattern: '^a', maxLength: 3 },
        minItems: 1,
        uniqueItems: false,
      },
      {
        type: 'array',
        items: { type: 'string', pattern: '^a', maxLength: 3 },
        minItems: 1,
        uniqueItems: false,
      },
    ],
    [
      'properties in the order of their names, and the required properties',
      { type: 'object', required: ['b'], properties: { b: { type: 'string' }, a: { type: 'object' } } },
      { type: 'object', required: ['b'], properties: { a: { type: 'object' }, b: { type: 'string' } } },
    ],
    [
      'the merge rules of lists and maps',
      {
        type: 'array',
        items: { type: 'object' },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['a'],
      },
      {
        type: 'array',
        items: { type: 'object' },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['a'],
      },
    ],
    [
      'a map that accepts any value',
      { type: 'object', additionalProperties: true },
      { type: 'object', additionalProperties: {} },
    ],
  ])('describes %s in both versions', (_, schema, shown) => {
    expect(describedIn(false, schema)).toEqual(shown);
    expect(describedIn(true, schema)).toEqual(shown);
  });

  it('writes defaults only in version 3', () => {
    const schema = { type: 'object', properties: { a: { type: 'string', default: 'b' } } };
    expect(describedIn(true, schema)).toEqual(schema);
    expect(describedIn(false, schema)).toEqual({ type: 'object', properties: { a: { type: 'string' } } });
  });

  it('omits from version 2 what its clients misread: alternatives, and the type of nullable values', () => {
    const schema = {
      type: 'object',
      required: ['a', 'b'],
      properties: { a: { type: 'string', nullable: true }, b: { type: 'string' } },
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
    };
    expect(describedIn(false, schema)).toEqual({
      type: 'object',
      required: ['b'],
      properties: { a: {}, b: { type: 'string' } },
    });
    expect(describedIn(true, schema)).toEqual({
      type: 'object',
      required: ['a', 'b'],
      properties: { a: { type: 'string', nullable: true }, b: { type: 'string' } },
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
    });
  });

  it('omits from version 2 the parts of values that preserve unknown fields', () => {
    const schema = {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { a: { type: 'string' } },
    };
    expect(describedIn(false, schema)).toEqual({ 'x-kubernetes-preserve-unknown-fields': true });
    expect(describedIn(true, schema)).toEqual(schema);
  });

  it('describes the choice between integer and string only in version 3', () => {
    const schema = { 'x-kubernetes-int-or-string': true };
    expect(describedIn(false, schema)).toEqual(schema);
    expect(describedIn(true, schema)).toEqual({
      ...schema,
      anyOf: [{ type: 'integer' }, { type: 'string' }],
    });
  });

  it('adds the common fields to an embedded resource', () => {
    const schema = {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      required: ['spec'],
      properties: { spec: { type: 'object' } },
    };
    const shown = {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      required: ['spec', 'kind', 'apiVersion'],
      properties: {
        apiVersion: { type: 'string' },
        kind: { type: 'string' },
        metadata: METADATA,
        spec: { type: 'object' },
      },
    };
    expect(describedIn(false, schema)).toEqual(shown);
    expect(describedIn(true, schema)).toEqual(shown);
  });

  it('names extensions by the vocabulary, regardless of the prefix in the schema', () => {
    const schema = { type: 'object', 'x-kubernetes-map-type': 'atomic' };
    expect(describedIn(true, schema, orchVocabulary)).toEqual({
      type: 'object',
      'x-orch-map-type': 'atomic',
    });
  });
});
