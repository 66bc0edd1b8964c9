export {
  type ReconcileInput,
  type ReconcileOutcome,
  type ReconcileOutput,
  isReconcileOutput,
  settled,
} from './pass.ts';
