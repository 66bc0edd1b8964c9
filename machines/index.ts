export {
  EFFECT_TIMEOUT_MS,
  errorText,
  failed,
  failedBy,
  isReconcileOutput,
  reconcileDelays,
  requeue,
  settled,
  unprovided,
} from './pass/pass.ts';
export type { ReconcileInput, ReconcileOutcome, ReconcileOutput } from './pass/pass.ts';
export { effectState, effectStates } from './pass/effect-state.ts';
export type { Effect } from './pass/effect-state.ts';
export { createPlanMachine } from './pass/plan-machine.ts';
export type { Plan, PlanMachineDeclaration, PlannedAction } from './pass/plan-machine.ts';
export { isConditionTrue, setCondition } from './pass/conditions.ts';
export type { Condition, ConditionNow } from './pass/conditions.ts';
export { finalizerStep, withFinalizer, withoutFinalizer } from './pass/finalizer.ts';
export type { Finalized, FinalizerStep } from './pass/finalizer.ts';
