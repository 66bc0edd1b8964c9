import type { Frontier } from './frontier.ts';
import type { Violation } from './serving.ts';
import type { Step } from './step.ts';
import type { WorldRows } from './world-rows.ts';
import type { ModelWorld } from './world.ts';

export interface TraceStep {
  readonly label: string;
  /** The reconcile whose request was answered, with its state: `namespace a [sweeping]`. */
  readonly reconcile?: string;
  readonly fault?: string;
  readonly world: ModelWorld;
}

export interface Tracing {
  readonly initial: ModelWorld;
  readonly rows: WorldRows;
  readonly states: Frontier;
  /** Returns the possible steps after a number of faults. */
  stepsFrom(world: ModelWorld, faults: number): Promise<Step[]>;
}

/**
 * Returns the path to a state; with `broken`, also the step that violates the invariant.
 *
 * The path is replayed from the start, because stored worlds renumber versions and reorder processes.
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
    const reconcile = step.reconcile?.();
    trace.push({
      label: step.label(),
      ...(reconcile === undefined ? {} : { reconcile }),
      ...(step.fault ? { fault: step.fault } : {}),
      world,
    });
  };
  for (const [nth, next] of way.slice(1).entries())
    await go(way[nth] ?? 0, (step) => states.find(rows.rowOf(step.world)) === next);
  if (broken) await go(id, (step) => step.broken?.invariant === broken.invariant);
  return trace;
}

/** The parts of a step that a trace shows. */
type ShownStep = Omit<TraceStep, 'world'>;

/** One printed line of a trace. */
export type TraceLine = Pick<TraceStep, 'label' | 'fault'>;

/** Returns the printed lines; consecutive requests of one reconcile in one state share a line. */
export function linesOf(trace: readonly ShownStep[]): readonly TraceLine[] {
  const lines: TraceLine[] = [];
  for (const [at, { label, reconcile, fault }] of trace.entries()) {
    const last = lines.at(-1);
    if (last && reconcile !== undefined && trace[at - 1]?.reconcile === reconcile)
      lines[lines.length - 1] = { label: `${last.label}, ${label.slice(reconcile.length + 1)}` };
    else lines.push({ label, ...(fault === undefined ? {} : { fault }) });
  }
  return lines;
}

/** Returns the number of printed lines, without the start. */
export const lengthOf = (trace: readonly ShownStep[]): number => linesOf(trace).length - 1;

/** Returns the numbered lines of a trace. */
export const describeLines = (trace: readonly ShownStep[]): readonly string[] =>
  linesOf(trace).map(({ label, fault }, at) => `${String(at).padStart(4)}  ${fault ? '⚡ ' : '  '}${label}`);
