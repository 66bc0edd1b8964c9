import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { ControllerName } from '../../controllers/manifests.ts';
import type { ScenarioOf } from '../explore/scenario.ts';
import type { Invariant } from '../invariants/invariant.ts';
import type { Right } from '../invariants/right.ts';
import type { Operator } from '../mutants/mutant.ts';
import type { Part } from '../workload/parts.ts';
import type { ControllerFacts } from './facts.ts';

/** Served resources in the format of `resourceOf`, in which garbage and namespace content are searched. */
export interface SearchedResources {
  readonly namespaced: readonly string[];
  readonly cluster: readonly string[];
}

/** Settings that the invariants of controllers depend on. */
export interface InvariantSettings {
  readonly vocabulary: Vocabulary;
  readonly resources: SearchedResources;
  /** Recount interval of quotas in milliseconds. Default that of `resourceQuotaInvariants`. */
  readonly quotasCountedMs: number | undefined;
}

/** Mutants of a controller, in addition to those that every controller has. */
export interface TwinMutants {
  /** Plural names of the watched kinds, each of which gets mutants that miss events. */
  readonly watched: readonly string[];
  /** Defects that make sense in this controller alone. */
  readonly operators?: readonly Operator[];
  /** Outputs that replace a swallowed error, by effect, where those of all controllers do not fit. */
  readonly swallowed?: { readonly [effect: string]: unknown };
  /** Reasons why mutants behave differently without a defect, by mutant. */
  readonly harmless?: { readonly [mutant: string]: string };
}

/**
 * Twin of a controller's manifest: everything that chaos needs to know about the controller. The histories of its
 * invariants are in `histories.fixture.ts` of the same folder.
 */
export interface ControllerTwin {
  readonly name: ControllerName;
  readonly invariants: (settings: InvariantSettings) => readonly Invariant[];
  /** Documented facts about the controller. Default none. */
  readonly facts?: (settings: InvariantSettings) => ControllerFacts;
  /** Permitted writes. */
  readonly rights: readonly Right[];
  /** Workload of the explorer. */
  readonly scenario: ScenarioOf;
  /** Additional workloads of the explorer, by suffix: `blocked` is explored as `cronjob/blocked`. */
  readonly scenarios?: { readonly [suffix: string]: ScenarioOf };
  /** Parts of random workloads. Default none: the parts of the other controllers suffice. */
  readonly workload?: readonly Part[];
  /** Parts that a live run always contains, because random workloads contain them rarely. Default none. */
  readonly rareWorkload?: readonly Part[];
  /** Names of invariants by the numbers that earlier releases and the research used. Default none. */
  readonly formerNumbers?: { readonly [number: string]: string };
  readonly mutants: TwinMutants;
  /** True if deletions under another policy than the default need the controller. Default false. */
  readonly completesDeletions?: true;
}
