import { part } from '../../../base/budget/index.ts';
import { cloneJson, equalJson } from '../../schema/own.ts';
import { type FieldErrors, child, mapKey } from '../../status/field-errors.ts';
import { validateEmbedded } from '../../structural/embedded.ts';
import { invalidAt } from '../../structural/problems.ts';
import { pruned, TYPE_FIELDS } from '../../structural/prune.ts';
import type { Structural } from '../../structural/structural.ts';
import { validateValue } from '../../structural/validate-value.ts';
import { INT_OR_STRING, type JSONSchemaProps } from '../../types/apiextensions-v1-schema.ts';

/**
 * Validates that each default is valid under its schema and has no field that the schema prunes
 * (`ValidateDefaults` in Kubernetes 1.24).
 */
export function validateDefaults(node: Structural, path: string, insideMeta = false): FieldErrors {
  const inside = insideMeta && !node.embedded;
  return [
    ...(node.default === undefined ? [] : validateDefault(node, child(path, 'default'), inside)),
    ...(node.items ? validateDefaults(node.items, child(path, 'items'), inside) : []),
    ...[...node.properties].flatMap(([name, each]) =>
      part(() =>
        validateDefaults(
          each,
          mapKey(child(path, 'properties'), name),
          inside || (node.embedded && TYPE_FIELDS.has(name)),
        ),
      ),
    ),
  ];
}

function validateDefault(node: Structural, path: string, insideMeta: boolean): FieldErrors {
  const value = node.default;
  const unknown =
    insideMeta || equalJson(withoutUnknown(node, value), value)
      ? []
      : [invalidAt(path, value, 'must not have unknown fields')];
  const embedded = validateEmbedded(node, value, path);
  return [
    ...unknown,
    ...(embedded.length > 0 ? embedded : validateValue(withoutChoice(node.props), value, path)),
  ];
}

const plain = new WeakMap<JSONSchemaProps, JSONSchemaProps>();

/**
 * Returns the schema against which upstream validates defaults. Upstream's conversion `ToKubeOpenAPI` drops
 * the choice between integer and string, which is checked only when an object is written.
 */
function withoutChoice(props: JSONSchemaProps): JSONSchemaProps {
  const known = plain.get(props);
  if (known !== undefined) return known;
  const { items, properties, additionalProperties } = props;
  const below: JSONSchemaProps = { ...props };
  for (const name of INT_OR_STRING) Reflect.deleteProperty(below, name);
  if (items && !Array.isArray(items)) below.items = withoutChoice(items);
  if (typeof additionalProperties === 'object')
    below.additionalProperties = withoutChoice(additionalProperties);
  if (properties)
    below.properties = Object.fromEntries(
      Object.entries(properties).map(([name, each]) => [name, withoutChoice(each)]),
    );
  plain.set(props, below);
  return below;
}

const withoutUnknown = (node: Structural, value: unknown): unknown =>
  pruned(node, cloneJson(value), {
    path: [],
    keepsNulls: true,
    unknown: () => undefined,
    typeField: (_key, field) => field,
  });
