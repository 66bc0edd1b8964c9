import { part, spend } from '../../base/budget/index.ts';
import type { StructuralNode, StructuralType } from '../schema/structural-node.ts';
import type { JSONSchemaProps } from '../types/apiextensions-v1-schema.ts';
import { extensionOf } from '../types/apiextensions-v1-schema.ts';

/** A node of a custom resource's schema, and the JSON schema from which it was compiled. */
export type Structural = StructuralNode<JSONSchemaProps>;

const compiled = new WeakMap<JSONSchemaProps, Structural>();

/** Compiles a schema and caches the result. Parts that structural schemas do not allow are skipped. */
export const structuralOf = (props: JSONSchemaProps): Structural =>
  part(() => {
    const known = compiled.get(props);
    if (known) return known;
    const structural = compile(props);
    compiled.set(props, structural);
    return structural;
  });

/** Work units for one compiled schema. */
const SCHEMA_WORK = 0.7;

function compile(props: JSONSchemaProps): Structural {
  spend(SCHEMA_WORK);
  const { additionalProperties: additional, items } = props;
  return {
    type: (props.type ?? '') as StructuralType,
    nullable: props.nullable === true,
    default: props.default ?? undefined,
    preserveUnknown: extensionOf(props, 'preserve-unknown-fields') === true,
    embedded: extensionOf(props, 'embedded-resource') === true,
    intOrString: extensionOf(props, 'int-or-string') === true,
    listType: extensionOf(props, 'list-type'),
    listMapKeys: extensionOf(props, 'list-map-keys') ?? [],
    mapType: extensionOf(props, 'map-type'),
    properties: new Map(
      Object.entries(props.properties ?? {}).map(([name, each]) => [name, structuralOf(each)]),
    ),
    additional: typeof additional === 'object' ? structuralOf(additional) : additional ? true : undefined,
    items: items === undefined || Array.isArray(items) ? undefined : structuralOf(items),
    props,
  };
}
