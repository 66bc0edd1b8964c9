import type { DeepReadonly } from '../../api/kinds/index.ts';
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
} from '../../api/types/apiextensions-v1.ts';

/** CustomResourceDefinition as stored. */
export type Definition = DeepReadonly<CustomResourceDefinition>;
/** Condition of a CustomResourceDefinition. */
export type Condition = DeepReadonly<CustomResourceDefinitionCondition>;
/** Condition without its transition time. */
export type Finding = Pick<Condition, 'type' | 'status'> & {
  readonly reason: string;
  readonly message: string;
};

const conditionOf = ({ status }: Definition, type: string): Condition | undefined =>
  status?.conditions?.find((each) => each.type === type);

/** True if the definition has the condition with status `True`. */
export const isTrue = (definition: Definition, type: string): boolean =>
  conditionOf(definition, type)?.status === 'True';

/**
 * Returns the conditions with one condition replaced or appended. Its transition time changes only if its
 * status changes.
 */
export function withCondition(
  conditions: readonly Condition[],
  found: Finding,
  now: string,
): readonly Condition[] {
  const known = conditions.find((each) => each.type === found.type);
  const lastTransitionTime = known?.status === found.status ? (known.lastTransitionTime ?? now) : now;
  const next: Condition = { ...found, lastTransitionTime };
  if (!known) return [...conditions, next];
  return conditions.map((each) => (each === known ? next : each));
}

/** Returns the conditions without those of the given type. */
export const withoutCondition = (conditions: readonly Condition[], type: string): readonly Condition[] =>
  conditions.filter((each) => each.type !== type);
