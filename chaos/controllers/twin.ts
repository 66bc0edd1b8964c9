import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { ControllerName } from '../../controllers/manifests.ts';
import type { ScenarioOf } from '../explore/scenario.ts';
import type { Invariant } from '../invariants/invariant.ts';
import type { Right } from '../invariants/right.ts';
import type { Operator } from '../mutants/mutant.ts';
import type { Part } from '../workload/parts.ts';
import type { ControllerFacts } from './facts.ts';

/**
 * Served resources in the format of `resourceOf`. Garbage and the content of namespaces are searched in
 * these.
 */
export interface SearchedResources {
  readonly namespaced: readonly string[];
  readonly cluster: readonly string[];
}

/** Settings on which the invariants of controllers depend. */
export interface InvariantSettings {
  readonly vocabulary: Vocabulary;
  readonly resources: SearchedResources;
  /** Recount interval of quotas in milliseconds; default that of `resourceQuotaInvariants`. */
  readonly quotasCountedMs: number | undefined;
}

/** Mutants of a controller, in addition to those that every controller has. */
export interface TwinMutants {
  /** Plural names of watched kinds. For each kind there are mutants that miss its events. */
  readonly watched: readonly string[];
  /** Mutation operators that apply only to this controller. */
  readonly operators?: readonly Operator[];
  /**
   * Outputs that replace a swallowed error, by effect. They replace the outputs that all controllers share.
   */
  readonly swallowed?: { readonly [effect: string]: unknown };
  /** Reasons why mutants may behave differently without a defect, by mutant. */
  readonly harmless?: { readonly [mutant: string]: string };
}

/**
 * Twin of a controller's manifest: the data about the controller that chaos needs. The histories of its
 * invariants are in `histories.fixture.ts` of the same directory.
 */
export interface ControllerTwin {
  readonly name: ControllerName;
  readonly invariants: (settings: InvariantSettings) => readonly Invariant[];
  /** Documented facts about the controller. Default none. */
  readonly facts?: (settings: InvariantSettings) => ControllerFacts;
  /** Permitted writes. */
  readonly rights: readonly Right[];
  /** Default workload of the explorer. */
  readonly scenario: ScenarioOf;
  /** Additional workloads of the explorer, by suffix: `blocked` is explored as `cronjob/blocked`. */
  readonly scenarios?: { readonly [suffix: string]: ScenarioOf };
  /**
   * Parts of random workloads for this controller. Default none, if the parts of other controllers suffice.
   */
  readonly workload?: readonly Part[];
  /** Parts that a live run always contains, because random workloads contain them rarely. Default none. */
  readonly rareWorkload?: readonly Part[];
  /** Names of invariants by their former numbers. Default none. */
  readonly formerNumbers?: { readonly [number: string]: string };
  readonly mutants: TwinMutants;
  /** True if deletions under another policy than the default need the controller. Default false. */
  readonly completesDeletions?: true;
}
