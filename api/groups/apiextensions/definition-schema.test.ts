import { describe, expect, it } from 'vitest';
import type { CustomResourceDefinition } from '../../types/apiextensions-v1.ts';
import { kubernetesVocabulary as vocabulary } from '../../vocabulary/vocabulary.ts';
import { validateDefinition } from '../../validation/custom-resource/definition.ts';
import { customResourceDefinitions } from '../apiextensions-v1.ts';
import { context, definition, withSchema } from './definition.fixture.ts';

describe('the default of an int-or-string value', () => {
  const INT_OR_STRING = { 'x-kubernetes-int-or-string': true };

  it.each([[true], [1.5], ['5%'], [7]])('may be %j, because the schema declares no type', (value) => {
    const schema = {
      type: 'object',
      properties: {
        a: { ...INT_OR_STRING, default: value },
        b: { type: 'object', default: { c: value }, properties: { c: INT_OR_STRING } },
        d: { type: 'array', default: [value], items: INT_OR_STRING },
      },
    };
    expect(validateDefinition(withSchema(schema), vocabulary)).toEqual([]);
  });

  it('must be valid under all other keywords of its schema', () => {
    const schema = {
      type: 'object',
      properties: { a: { ...INT_OR_STRING, default: 'x', maxLength: 0 } },
    };
    expect(validateDefinition(withSchema(schema), vocabulary)).toHaveLength(1);
  });
});

describe('the validation rules of a CustomResourceDefinition', () => {
  const rule = { 'x-kubernetes-validations': [{ rule: 'self.a > 1' }] };
  const schema = {
    type: 'object',
    ...rule,
    properties: {
      a: { type: 'integer', ...rule },
      l: {
        type: 'array',
        items: { type: 'object', ...rule, additionalProperties: { type: 'string', ...rule } },
      },
    },
  };
  const withRules = (): CustomResourceDefinition => {
    const crd = definition();
    const [version] = crd.spec.versions ?? [];
    if (version) version.schema = { openAPIV3Schema: structuredClone(schema) as object };
    return crd;
  };
  const { prepareForCreate, prepareForUpdate } = customResourceDefinitions.strategy;
  const written = (next: CustomResourceDefinition): string => JSON.stringify(next.spec);

  it('are dropped on create, and on update of a definition without rules', () => {
    const created = withRules();
    prepareForCreate?.(created, context);
    expect(written(created)).not.toContain('validations');
    const updated = withRules();
    prepareForUpdate?.(updated, created, context);
    expect(written(updated)).not.toContain('validations');
    expect(written(updated)).toContain('"additionalProperties":{"type":"string"}');
  });

  it('are retained if they are already stored', () => {
    const updated = withRules();
    prepareForUpdate?.(updated, withRules(), context);
    expect(written(updated).match(/validations/g)).toHaveLength(4);
  });
});
