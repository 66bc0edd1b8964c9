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
} from './reconcile/reconcile.ts';
export type { ReconcileInput, ReconcileOutcome, ReconcileOutput } from './reconcile/reconcile.ts';
export { effectState, effectStates } from './reconcile/effect-state.ts';
export type { Effect } from './reconcile/effect-state.ts';
export { createPlanMachine } from './reconcile/plan-machine.ts';
export type { Plan, PlanMachineDeclaration, PlannedAction } from './reconcile/plan-machine.ts';
export { isConditionTrue, setCondition } from './reconcile/conditions.ts';
export type { Condition, ConditionNow } from './reconcile/conditions.ts';
export { finalizerStep, withFinalizer, withoutFinalizer } from './reconcile/finalizer.ts';
export type { Finalized, FinalizerStep } from './reconcile/finalizer.ts';
