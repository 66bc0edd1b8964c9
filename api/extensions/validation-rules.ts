import type { DeepReadonly } from '../kinds/kind.ts';
import { type JSONSchemaProps, RULES } from '../types/apiextensions-v1-schema.ts';
import type { CustomResourceDefinitionSpec } from '../types/apiextensions-v1.ts';
import { isObject } from '../schema/own.ts';

type Spec = DeepReadonly<CustomResourceDefinitionSpec> | undefined;

/** True if a schema of the CustomResourceDefinition has `x-kubernetes-validations`. */
export const hasRules = (spec: Spec): boolean => {
  for (const schema of schemasIn(spec)) if (RULES.some((name) => Object.hasOwn(schema, name))) return true;
  return false;
};

/**
 * Removes the validation rules of all schemas. Release 1.24 does so while the feature gate
 * `CustomResourceValidationExpressions` is off.
 */
export function dropRules(spec: CustomResourceDefinitionSpec): void {
  for (const schema of schemasIn(spec))
    for (const name of RULES) if (Object.hasOwn(schema, name)) Reflect.deleteProperty(schema, name);
}

function* schemasIn(spec: Spec): Generator<object> {
  const open: unknown[] = (spec?.versions ?? []).map(({ schema }) => schema?.openAPIV3Schema);
  while (open.length > 0) {
    const schema = open.pop();
    if (!isObject(schema)) continue;
    yield schema;
    open.push(...partsOf(schema as DeepReadonly<JSONSchemaProps>));
  }
}

const partsOf = (schema: DeepReadonly<JSONSchemaProps>): readonly unknown[] => [
  schema.items,
  schema.not,
  schema.additionalItems,
  schema.additionalProperties,
  ...(Array.isArray(schema.items) ? schema.items : []),
  ...(schema.allOf ?? []),
  ...(schema.anyOf ?? []),
  ...(schema.oneOf ?? []),
  ...Object.values(schema.properties ?? {}),
  ...Object.values(schema.patternProperties ?? {}),
  ...Object.values(schema.definitions ?? {}),
  ...Object.values(schema.dependencies ?? {}),
];
