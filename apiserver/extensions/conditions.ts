import type { DeepReadonly } from '../../api/kinds/index.ts';
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
} from '../../api/types/apiextensions-v1.ts';

/** A CustomResourceDefinition as it is stored. */
export type Definition = DeepReadonly<CustomResourceDefinition>;
/** A condition of a definition. */
export type Condition = DeepReadonly<CustomResourceDefinitionCondition>;
/** A condition without its transition time. */
export type Finding = Pick<Condition, 'type' | 'status'> & {
  readonly reason: string;
  readonly message: string;
};

const conditionOf = ({ status }: Definition, type: string): Condition | undefined =>
  status?.conditions?.find((each) => each.type === type);

/** True if the condition exists and is true. */
export const isTrue = (definition: Definition, type: string): boolean =>
  conditionOf(definition, type)?.status === 'True';

/** Sets a condition in place or at the end; the time changes only with the status. */
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

/** Removes a condition. */
export const withoutCondition = (conditions: readonly Condition[], type: string): readonly Condition[] =>
  conditions.filter((each) => each.type !== type);
