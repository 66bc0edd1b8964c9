import type { ApiAnswer } from './api-request.ts';
import type { ControllerModel } from './controller-model.ts';
import type { FaultKind } from './faults.ts';
import type { FootprintRecord } from './footprint.ts';
import type { ProcessModel } from './process-model.ts';
import type { Serving, Violation } from './serving.ts';
import type { VisitRecord } from './visits.ts';
import { type Process, withProcesses, type ModelWorld } from './world.ts';
import type { Scenario } from './scenario.ts';

/** One possible next step of the world. */
export interface Step {
  label(): string;
  /** Returns the reconcile whose request the step answers, with its state. */
  reconcile?(): string;
  readonly world: ModelWorld;
  /** The injected fault; none for a regular step. */
  readonly fault?: FaultKind;
  /** Set on a user action; liveness must not rely on it. */
  readonly wish?: true;
  /** Set if the step moves the clock; required progress must not depend on it. */
  readonly tick?: true;
  /** The invariant that the step violated. */
  readonly broken?: Violation;
}

/** A world with the facts that all its steps share. */
export interface Moment {
  readonly world: ModelWorld;
  readonly nowMs: number;
  /** Number of faults that may still be injected. */
  readonly faultsLeft: number;
  /** True if a prompt action must happen before time passes. */
  readonly isPressed: boolean;
  /** True while a request is in flight that sends several events at once and may force others through. */
  readonly isBurst: boolean;
  may(fault: FaultKind): boolean;
}

/** One process of a moment. */
export interface Local extends Moment {
  readonly node: number;
  readonly who: string;
  readonly process: Process;
  /** Bits of the caches that its steps read, as in `Noted`; collected while the steps are built. */
  looked: number;
}

/** Dependencies of the step builders. */
export interface StepMaking {
  readonly scenario: Scenario;
  readonly model: ControllerModel;
  readonly processes: ProcessModel;
  readonly serving: Serving;
  /** Records requests and the faults that affect them. */
  readonly visits: VisitRecord;
  /** Maximum number of events that an informer may lag behind. */
  readonly lag: number;
  /** True if steps that commute may be postponed. */
  readonly postpones: boolean;
  readonly footprint?: FootprintRecord | undefined;
}

/** Appends the possible next steps to a list. */
export type StepSource<M extends Moment> = (moment: M, steps: Step[]) => void;

export const withProcess = (world: ModelWorld, node: number, process: Process): ModelWorld =>
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
