import type { JSONSchemaProps } from '../types/apiextensions-v1-schema.ts';
import { validateValue } from './validate-value.ts';

/** Types a literal as a schema. */
export const schemaOf = (schema: object): JSONSchemaProps => schema as JSONSchemaProps;

/** Returns the errors of a value as `field: message`. */
export const complaints = (schema: object, value: unknown): string[] =>
  validateValue(schemaOf(schema), value).map(({ field, message }) => `${field}: ${message}`);
