import { describe, expect, it } from 'vitest';
import { structuralOf } from '../structural/structural.ts';
import type { JSONSchemaProps } from '../types/apiextensions-v1-schema.ts';
import { kubernetesVocabulary as vocabulary, orchVocabulary } from '../vocabulary/vocabulary.ts';
import { describeStructural } from './structural.ts';

const METADATA = { $ref: '#/META' };
const describedIn = (choices: boolean, schema: object, words = vocabulary): object =>
  describeStructural(structuralOf(schema as JSONSchemaProps), { vocabulary: words, choices }, () => METADATA);

describe('the schema of a custom resource', () => {
  it.each([
    [
      'its keywords as they are',
      { type: 'integer', minimum: 0, maximum: 9, exclusiveMaximum: true, multipleOf: 3, format: 'int32' },
      { type: 'integer', minimum: 0, maximum: 9, exclusiveMaximum: true, multipleOf: 3, format: 'int32' },
    ],
    [
      'what lists, maps and texts may hold',
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
      'properties sorted by name, and the required ones',
      { type: 'object', required: ['b'], properties: { b: { type: 'string' }, a: { type: 'object' } } },
      { type: 'object', required: ['b'], properties: { a: { type: 'object' }, b: { type: 'string' } } },
    ],
    [
      'how lists and maps merge',
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
      'that a map takes any value',
      { type: 'object', additionalProperties: true },
      { type: 'object', additionalProperties: {} },
    ],
  ])('shows in either version %s', (_, schema, shown) => {
    expect(describedIn(false, schema)).toEqual(shown);
    expect(describedIn(true, schema)).toEqual(shown);
  });

  it('says in version 3 alone what is filled in', () => {
    const schema = { type: 'object', properties: { a: { type: 'string', default: 'b' } } };
    expect(describedIn(true, schema)).toEqual(schema);
    expect(describedIn(false, schema)).toEqual({ type: 'object', properties: { a: { type: 'string' } } });
  });

  it('leaves out of version 2 what its clients stumble over: alternatives, and the type of what may be null', () => {
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

  it('leaves out of version 2 the parts of what keeps unknown fields', () => {
    const schema = {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { a: { type: 'string' } },
    };
    expect(describedIn(false, schema)).toEqual({ 'x-kubernetes-preserve-unknown-fields': true });
    expect(describedIn(true, schema)).toEqual(schema);
  });

  it('says in version 3 alone that a number or a text is one of the two', () => {
    const schema = { 'x-kubernetes-int-or-string': true };
    expect(describedIn(false, schema)).toEqual(schema);
    expect(describedIn(true, schema)).toEqual({
      ...schema,
      anyOf: [{ type: 'integer' }, { type: 'string' }],
    });
  });

  it('gives an embedded resource the fields that every object has', () => {
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

  it('names its extensions by the vocabulary, whichever one they were written in', () => {
    const schema = { type: 'object', 'x-kubernetes-map-type': 'atomic' };
    expect(describedIn(true, schema, orchVocabulary)).toEqual({
      type: 'object',
      'x-orch-map-type': 'atomic',
    });
  });
});
