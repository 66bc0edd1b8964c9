import type { Frontier } from './frontier.ts';
import type { Violation } from './serving.ts';
import type { Step } from './step.ts';
import type { WorldRows } from './world-rows.ts';
import type { World } from './world.ts';

export interface TraceStep {
  readonly label: string;
  readonly fault?: string;
  readonly world: World;
}

export interface Tracing {
  readonly initial: World;
  readonly rows: WorldRows;
  readonly states: Frontier;
  /** What may happen after so many faults. */
  stepsFrom(world: World, faults: number): Promise<Step[]>;
}

/**
 * The way to a state, gone again from the start, so that versions count writes and each process keeps its name; with
 * `broken` also the step after it that broke it.
 */
export async function traceTo(
  { initial, rows, states, stepsFrom }: Tracing,
  id: number,
  broken?: Violation,
): Promise<readonly TraceStep[]> {
  const way = states.wayTo(id);
  const trace: TraceStep[] = [{ label: 'at the start', world: initial }];
  let world = initial;
  const go = async (from: number, isMeant: (step: Step) => boolean): Promise<void> => {
    const fitting = (await stepsFrom(world, states.faultsTo(from))).filter(isMeant);
    const step = fitting.find(({ fault }) => !fault) ?? fitting[0];
    if (!step) throw new Error(`no step leads on from state ${from}`);
    ({ world } = step);
    trace.push({ label: step.label(), ...(step.fault ? { fault: step.fault } : {}), world });
  };
  for (const [nth, next] of way.slice(1).entries())
    await go(way[nth] ?? 0, (step) => states.find(rows.rowOf(step.world)) === next);
  if (broken) await go(id, (step) => step.broken?.invariant === broken.invariant);
  return trace;
}
