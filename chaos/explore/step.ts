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
  /** Returns the reconcile to whose request the step responds, with its machine state. */
  reconcile?(): string;
  readonly world: ModelWorld;
  /** The injected fault; undefined for a regular step. */
  readonly fault?: FaultKind;
  /** True for a user action. Liveness must not depend on it. */
  readonly wish?: true;
  /** True for a tick of the clock. Liveness must not depend on it. */
  readonly tick?: true;
  /** The violation that the step causes; undefined if there is none. */
  readonly broken?: Violation;
}

/** A world, and facts that its steps have in common. */
export interface Moment {
  readonly world: ModelWorld;
  readonly nowMs: number;
  /** Number of faults that may still be injected. */
  readonly faultsLeft: number;
  /** True if a prompt action is possible, so that no time may pass before it. */
  readonly isPressed: boolean;
  /** True while a request is in flight that sends several events and may force the delivery of others. */
  readonly isBurst: boolean;
  may(fault: FaultKind): boolean;
}

/** One process of a moment. */
export interface Local extends Moment {
  readonly node: number;
  readonly who: string;
  readonly process: Process;
  /**
   * Bits of the caches that the steps of the process read, as in `Noted`. They are collected while the steps
   * are built.
   */
  looked: number;
}

/** Dependencies of the functions that build steps. */
export interface StepMaking {
  readonly scenario: Scenario;
  readonly model: ControllerModel;
  readonly processes: ProcessModel;
  readonly serving: Serving;
  /** Record of requests and the faults that affect them. */
  readonly visits: VisitRecord;
  /** Maximum number of events that may be pending for an informer. */
  readonly lag: number;
  /** True if steps that commute may be postponed. */
  readonly postpones: boolean;
  readonly footprint?: FootprintRecord | undefined;
}

/** Function that appends possible next steps to a list. */
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
