import { decode } from '../../schema/decode.ts';
import type { CustomResourceDefinition } from '../../types/apiextensions-v1.ts';
import { kubernetesVocabulary as vocabulary } from '../../vocabulary/vocabulary.ts';
import { validateDefinition, validateNewDefinition } from '../../validation/custom-resource/definition.ts';
import { customResourceDefinitions } from '../apiextensions-v1.ts';

/** Context of the strategy hooks in tests. */
export const context = {
  vocabulary,
  nowMs: 0,
  user: { username: 'tester', groups: [] },
  enabled: () => true,
};

/**
 * Returns a defaulted CustomResourceDefinition of the kind Gadget, with changes to its spec, its only version
 * and its metadata.
 */
export function definition(
  spec: object = {},
  version: object = {},
  metadata: object = {},
): CustomResourceDefinition {
  const { value } = decode<CustomResourceDefinition>(customResourceDefinitions.schema, {
    metadata: { name: 'gadgets.example.com', ...metadata },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'gadgets', kind: 'Gadget' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object' } },
          ...version,
        },
      ],
      ...spec,
    },
  });
  customResourceDefinitions.strategy.defaults?.(value, context);
  customResourceDefinitions.strategy.prepareForCreate?.(value, context);
  return value;
}

/** Returns the errors of creating a CustomResourceDefinition. */
export const refused = (crd: CustomResourceDefinition): string[] =>
  [...validateDefinition(crd, vocabulary), ...validateNewDefinition(crd, vocabulary)].map(
    ({ field, message }) => `${field}: ${message}`,
  );

/** Returns a CustomResourceDefinition whose version has the given schema. */
export const withSchema = (schema: object): CustomResourceDefinition =>
  definition({}, { schema: { openAPIV3Schema: schema } });
