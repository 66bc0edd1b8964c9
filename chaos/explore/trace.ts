import type { Frontier } from './frontier.ts';
import type { Violation } from './serving.ts';
import type { Step } from './step.ts';
import type { WorldRows } from './world-rows.ts';
import type { World } from './world.ts';

export interface TraceStep {
  readonly label: string;
  /** The pass whose request was answered, in what state: `namespace a [sweeping]`. */
  readonly pass?: string;
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
    const pass = step.pass?.();
    trace.push({
      label: step.label(),
      ...(pass === undefined ? {} : { pass }),
      ...(step.fault ? { fault: step.fault } : {}),
      world,
    });
  };
  for (const [nth, next] of way.slice(1).entries())
    await go(way[nth] ?? 0, (step) => states.find(rows.rowOf(step.world)) === next);
  if (broken) await go(id, (step) => step.broken?.invariant === broken.invariant);
  return trace;
}

/** What of a step is told. */
type ToldStep = Omit<TraceStep, 'world'>;

/** One line of a trace as it is told. */
export type TraceLine = Pick<TraceStep, 'label' | 'fault'>;

/** A trace as it is told: what a pass asks for in one state, with nothing else in between, is one thing that it does. */
export function linesOf(trace: readonly ToldStep[]): readonly TraceLine[] {
  const lines: TraceLine[] = [];
  for (const [at, { label, pass, fault }] of trace.entries()) {
    const last = lines.at(-1);
    if (last && pass !== undefined && trace[at - 1]?.pass === pass)
      lines[lines.length - 1] = { label: `${last.label}, ${label.slice(pass.length + 1)}` };
    else lines.push({ label, ...(fault === undefined ? {} : { fault }) });
  }
  return lines;
}

/** How many lines a trace takes, the start aside. */
export const lengthOf = (trace: readonly ToldStep[]): number => linesOf(trace).length - 1;

/** The lines of a trace, numbered. */
export const describeLines = (trace: readonly ToldStep[]): readonly string[] =>
  linesOf(trace).map(({ label, fault }, at) => `${String(at).padStart(4)}  ${fault ? '⚡ ' : '  '}${label}`);
