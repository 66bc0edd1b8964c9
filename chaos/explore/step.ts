import type { ApiAnswer } from './api-request.ts';
import type { ControllerModel } from './controller-model.ts';
import type { FaultKind } from './faults.ts';
import type { FootprintRecord } from './footprint.ts';
import type { ProcessModel } from './process-model.ts';
import type { Serving, Violation } from './serving.ts';
import type { VisitRecord } from './visits.ts';
import { type Process, type Scenario, withProcesses, type World } from './world.ts';

/** One thing that may happen next. */
export interface Step {
  label(): string;
  /** The pass whose request was answered in it, in what state. */
  pass?(): string;
  readonly world: World;
  /** What went wrong in it; none for what happens by itself. */
  readonly fault?: FaultKind;
  /** Somebody's doing that nothing may rely on. */
  readonly wish?: true;
  /** The clock moves on: what must come, comes without that. */
  readonly tick?: true;
  /** What it broke. */
  readonly broken?: Violation;
}

/** A world with what the steps out of it have in common. */
export interface Moment {
  readonly world: World;
  readonly nowMs: number;
  /** How much may still go wrong. */
  readonly faultsLeft: number;
  /** Something is to happen before any time passes. */
  readonly isPressed: boolean;
  /** A request is on its way that sends several events at once, and may push others through. */
  readonly isBurst: boolean;
  may(fault: FaultKind): boolean;
}

/** One process of a moment. */
export interface Local extends Moment {
  readonly node: number;
  readonly who: string;
  readonly process: Process;
  /** What its steps read of its caches, as `looked` of `Noted`; gathered while they are made. */
  looked: number;
}

/** What steps are made with. */
export interface StepMaking {
  readonly scenario: Scenario;
  readonly model: ControllerModel;
  readonly processes: ProcessModel;
  readonly serving: Serving;
  /** Takes down which requests there are, and what strikes them. */
  readonly visits: VisitRecord;
  /** How many events an informer may be behind. */
  readonly lag: number;
  /** Whether what may as well happen later is left for later. */
  readonly postpones: boolean;
  readonly footprint?: FootprintRecord | undefined;
}

/** Adds what may happen next to a list. */
export type StepSource<M extends Moment> = (moment: M, steps: Step[]) => void;

export const withProcess = (world: World, node: number, process: Process): World =>
  withProcesses(
    world,
    world.processes.map((each, at) => (at === node ? process : each)),
  );

export function describeAnswer(answer: ApiAnswer): string {
  if ('lost' in answer) return 'no answer';
  if ('refused' in answer) return `${answer.refused.code} ${answer.refused.reason ?? ''}`.trim();
  const { metadata } = (answer.ok ?? {}) as { readonly metadata?: { readonly resourceVersion?: string } };
  return metadata?.resourceVersion ?? 'done';
}
