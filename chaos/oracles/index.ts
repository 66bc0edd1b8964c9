import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { ControllerFacts } from '../controllers/facts.ts';
import { twins } from '../controllers/index.ts';
import type { SearchedResources } from '../controllers/twin.ts';
import type { Invariant } from '../invariants/invariant.ts';
import { choiceInvariant } from './choice/index.ts';
import { conditionInvariant, eventInvariant } from './claims/index.ts';
import { dueInvariant } from './due/index.ts';
import { heldInvariant } from './held/index.ts';
import { lifecycleInvariants } from './lifecycles/index.ts';
import { failedActs, paceInvariant } from './pace/index.ts';
import { requestInvariants } from './requests/index.ts';

/** Invariants that follow from what release 1.24 documents, and from rules for any controller. */
export function oracleInvariants(vocabulary: Vocabulary, resources: SearchedResources): readonly Invariant[] {
  const settings = { vocabulary, resources, quotasCountedMs: undefined };
  const documented = twins.flatMap(({ name, facts }) =>
    facts === undefined ? [] : [[name, facts(settings)] as const],
  );
  /** Creates an invariant for each fact of one kind. */
  const each = <Fact>(
    factsOf: (facts: ControllerFacts) => readonly Fact[] | undefined,
    invariantOf: (controller: string, fact: Fact) => Invariant,
  ): readonly Invariant[] =>
    documented.flatMap(([name, facts]) => (factsOf(facts) ?? []).map((fact) => invariantOf(name, fact)));
  const keeping = documented.flatMap(([name, facts]) => (facts.keepsControllers === true ? [name] : []));
  return [
    ...requestInvariants(new Set(keeping)),
    ...each(({ preferences }) => preferences, choiceInvariant),
    ...each(({ backOffs }) => backOffs, paceInvariant),
    failedActs,
    ...each(({ dueTimes }) => dueTimes, dueInvariant),
    ...each(({ reasons }) => reasons, heldInvariant),
    ...each(({ conditions }) => conditions, conditionInvariant),
    eventInvariant(documented.flatMap(([, facts]) => facts.events ?? [])),
    ...lifecycleInvariants(vocabulary),
  ];
}
