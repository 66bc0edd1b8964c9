import { type Vocabulary, orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import type { Clock } from '../../base/clock/clock.ts';
import { type ControllerExploration, exploreController } from '../explore/explore-controller.ts';
import type { FaultKind } from '../explore/faults.ts';
import { subjectOf, workloadsOf } from '../explore/scenarios/index.ts';
import type { Mutant } from './catalogue.ts';
import type { Mutation } from './operators.ts';

/** How far one search goes. */
export interface Reach {
  readonly objects: number;
  readonly faults: number;
  readonly leaders: number;
  /** Which faults strike; default `usualFaults`. */
  readonly faultKinds?: readonly FaultKind[];
}

/** Nearest first: most of what is wrong shows without a fault, and nearly all of the rest with one. */
const reaches: readonly Reach[] = [
  { objects: 1, faults: 0, leaders: 1 },
  { objects: 1, faults: 1, leaders: 1 },
  { objects: 1, faults: 0, leaders: 2 },
  { objects: 2, faults: 0, leaders: 1 },
  { objects: 1, faults: 2, leaders: 1, faultKinds: ['error'] },
];

/**
 * With each reach the controller's further workloads too, where one object and one leader will do. They are small: where
 * faults make the usual one large they go first. A failure that is forgotten may need another right after it to show: what
 * brings its key up again must fail too. For that nobody else need do anything.
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
  /** States of one search: what is found does not depend on how fast the machine is. Default 400 000. */
  readonly maxStates?: number;
  readonly vocabulary?: Vocabulary;
}

/** One search for what is wrong with a mutant. */
export interface Finding {
  readonly workload: string;
  readonly reach: Reach;
  readonly exploration: ControllerExploration;
  /** How the same search of the controller itself ended. */
  readonly right: ControllerExploration['verdict'];
  /** Every state and step is as with the controller itself. */
  readonly isSame: boolean;
}

export interface Hunt {
  /**
   * `same`: as far as was searched nothing that the mutation changes ever comes into play. `unknown`: a bound was hit, or
   * the controller itself could not be searched to the end.
   */
  readonly verdict: 'caught' | 'same' | 'survived' | 'unknown';
  readonly findings: readonly Finding[];
  /** Of all searches together. */
  readonly ms: number;
}

/** Hunts mutants; what the controllers themselves do is searched once for each reach. */
export interface Hunter {
  hunt(mutant: Mutant): Promise<Hunt>;
}

const MAX_STATES = 400_000;

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
        // What the controller itself does wrong says nothing about its mutants.
        if (right.verdict === 'fail') continue;
        const exploration = await search(workload, mutate, reach);
        const isSame =
          exploration.verdict === 'pass' &&
          exploration.hash === right.hash &&
          exploration.contents === right.contents;
        findings.push({ workload, reach, exploration, right: right.verdict, isSame });
        if (exploration.verdict === 'fail') return ended('caught');
      }
      // Where the controller itself could not be searched to the end, neither can its mutants be.
      const telling = findings.filter(({ right }) => right === 'pass');
      if (telling.length === 0 || telling.some(({ exploration }) => exploration.verdict !== 'pass'))
        return ended('unknown');
      return ended(telling.every(({ isSame }) => isSame) ? 'same' : 'survived');
    },
  };
}
