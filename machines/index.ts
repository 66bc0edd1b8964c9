export {
  EFFECT_TIMEOUT_MS,
  errorText,
  failed,
  isPassOutput,
  passDelays,
  requeue,
  settled,
  unprovided,
} from './pass/pass.ts';
export type { PassInput, PassOutcome, PassOutput } from './pass/pass.ts';
