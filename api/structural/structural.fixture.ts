import type { JSONSchemaProps } from '../types/apiextensions-v1-schema.ts';
import { validateValue } from './validate-value.ts';

/** Returns a literal with the static type of a schema. */
export const schemaOf = (schema: object): JSONSchemaProps => schema as JSONSchemaProps;

/** Returns the errors of a value as `field: message`. */
export const complaints = (schema: object, value: unknown): string[] =>
  validateValue(schemaOf(schema), value).map(({ field, message }) => `${field}: ${message}`);
