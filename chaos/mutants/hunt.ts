import { type Vocabulary, orchVocabulary } from '../../api/vocabulary/index.ts';
import type { Clock } from '../../base/clock/index.ts';
import { type ControllerExploration, exploreController } from '../explore/explore-controller.ts';
import type { FaultKind } from '../explore/faults.ts';
import { subjectOf, workloadsOf } from '../explore/scenarios/index.ts';
import type { Mutant } from './mutant.ts';
import type { Mutation } from './operators.ts';

/** Bounds of one search. */
export interface Reach {
  readonly objects: number;
  readonly faults: number;
  readonly leaders: number;
  /** Faults to inject; default `usualFaults`. */
  readonly faultKinds?: readonly FaultKind[];
}

/**
 * Bounds in ascending order of cost. Most defects appear without a fault, and nearly all others with one
 * fault.
 */
const reaches: readonly Reach[] = [
  { objects: 1, faults: 0, leaders: 1 },
  { objects: 1, faults: 1, leaders: 1 },
  { objects: 1, faults: 0, leaders: 2 },
  { objects: 2, faults: 0, leaders: 1 },
  { objects: 1, faults: 2, leaders: 1, faultKinds: ['error'] },
];

/**
 * Returns the searches for a controller's mutants.
 *
 * Bounds with one object and one leader are also applied to the additional workloads. These are small, so
 * they come first where faults make the default workload large. A forgotten failure may need a second failure
 * to appear, because otherwise the next event requeues the key. Its search needs no user actions.
 */
export function searchesOf(
  controller: string,
): readonly { readonly workload: string; readonly reach: Reach }[] {
  const [usual = controller, ...further] = workloadsOf(controller);
  return reaches.flatMap((reach) => {
    if (reach.faultKinds)
      return further
        .filter((workload) => workload.endsWith('/undisturbed'))
        .map((workload) => ({ workload, reach }));
    const small = reach.objects === 1 && reach.leaders === 1 ? further : [];
    const inOrder = reach.faults === 0 ? [usual, ...small] : [...small, usual];
    return inOrder.map((workload) => ({ workload, reach }));
  });
}

export interface HuntOptions {
  readonly clock: Clock;
  /**
   * Maximum number of states of one search; default 400,000. A limit on states, unlike a time limit, does not
   * depend on the speed of the machine.
   */
  readonly maxStates?: number;
  readonly vocabulary?: Vocabulary;
}

/** One search for a violation by a mutant. */
export interface Finding {
  readonly workload: string;
  readonly reach: Reach;
  readonly exploration: ControllerExploration;
  /** Verdict of the same search on the original controller. */
  readonly right: ControllerExploration['verdict'];
  /** True if all states and steps equal those of the original controller. */
  readonly isSame: boolean;
}

export interface Hunt {
  /**
   * Result. `same` means that the mutation had no effect within the bounds. `unknown` means that a bound was
   * reached, or that the original could not be searched completely.
   */
  readonly verdict: 'caught' | 'same' | 'survived' | 'unknown';
  readonly findings: readonly Finding[];
  /** Total time of all searches in milliseconds. */
  readonly ms: number;
}

/** Searches for counterexamples of mutants. Each original controller is searched once for each bound. */
export interface Hunter {
  hunt(mutant: Mutant): Promise<Hunt>;
}

const MAX_STATES = 400_000;

/**
 * Creates a hunter. It explores each original controller once and compares all mutants of that controller
 * with the result.
 */
export function createHunter({
  clock,
  maxStates = MAX_STATES,
  vocabulary = orchVocabulary,
}: HuntOptions): Hunter {
  const originals = new Map<string, Promise<ControllerExploration>>();
  const search = (workload: string, mutate: Mutation, reach: Reach): Promise<ControllerExploration> => {
    const { objects, faults, leaders, faultKinds } = reach;
    const subject = subjectOf(workload, vocabulary, objects);
    if (!subject) throw new Error(`there is no workload ${workload}`);
    const { definition, scenario } = subject;
    const bounds = { faults, leaders, lag: 1, maxStates, ...(faultKinds ? { faultKinds } : {}) };
    return exploreController({ definition: mutate(definition), scenario, vocabulary, ...bounds, clock });
  };
  const original = (workload: string, reach: Reach): Promise<ControllerExploration> => {
    const key = JSON.stringify([workload, reach]);
    let found = originals.get(key);
    if (!found) originals.set(key, (found = search(workload, (same) => same, reach)));
    return found;
  };
  return {
    async hunt({ controller, mutate }) {
      const findings: Finding[] = [];
      const ended = (verdict: Hunt['verdict']): Hunt => ({
        verdict,
        findings,
        ms: findings.reduce((sum, { exploration }) => sum + exploration.ms, 0),
      });
      for (const { workload, reach } of searchesOf(controller)) {
        const right = await original(workload, reach);
        // If the original controller also violates an invariant, the search shows nothing about its mutants.
        if (right.verdict === 'fail') continue;
        const exploration = await search(workload, mutate, reach);
        const isSame =
          exploration.verdict === 'pass' &&
          exploration.hash === right.hash &&
          exploration.contents === right.contents;
        findings.push({ workload, reach, exploration, right: right.verdict, isSame });
        if (exploration.verdict === 'fail') return ended('caught');
      }
      // If the original could not be searched completely, its mutants cannot be searched completely.
      const conclusive = findings.filter(({ right }) => right === 'pass');
      if (conclusive.length === 0 || conclusive.some(({ exploration }) => exploration.verdict !== 'pass'))
        return ended('unknown');
      return ended(conclusive.every(({ isSame }) => isSame) ? 'same' : 'survived');
    },
  };
}
