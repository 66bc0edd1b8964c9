import { isDeepStrictEqual } from 'node:util';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { CustomResourceDefinitionStatus } from '../../api/types/apiextensions-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { approvalConditionType, decideApproval } from './approval.ts';
import { type Definition, type Finding, isTrue, withCondition, withoutCondition } from './conditions.ts';
import { decideNames } from './names.ts';

/** Status of a CustomResourceDefinition. */
export type DefinitionStatus = DeepReadonly<CustomResourceDefinitionStatus>;

/**
 * Returns the desired status of a definition. `definitions` holds all existing definitions. An established
 * definition stays established, even if names that it requests later conflict. `now` is an RFC 3339 time.
 */
export function decideStatus(
  definition: Definition,
  definitions: readonly Definition[],
  vocabulary: Vocabulary,
  now: string,
): DefinitionStatus {
  const { accepted, condition } = decideNames(definition, definitions);
  let conditions = withCondition(definition.status?.conditions ?? [], condition, now);
  const established = decideEstablished(definition, condition);
  if (established) conditions = withCondition(conditions, established, now);
  const approval = decideApproval(definition, vocabulary);
  conditions = approval
    ? withCondition(conditions, approval, now)
    : withoutCondition(conditions, approvalConditionType(vocabulary));
  return {
    conditions,
    acceptedNames: accepted,
    storedVersions: definition.status?.storedVersions ?? [],
  };
}

function decideEstablished(definition: Definition, names: Finding): Finding | undefined {
  if (isTrue(definition, 'Established')) return undefined;
  return names.status === 'True'
    ? {
        type: 'Established',
        status: 'True',
        reason: 'InitialNamesAccepted',
        message: 'the initial names have been accepted',
      }
    : { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' };
}

export const sameStatus = (a: DefinitionStatus | undefined, b: DefinitionStatus): boolean =>
  isDeepStrictEqual(a, b);
