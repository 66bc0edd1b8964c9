export { type ObservedLegacyToken, judge } from './judge.ts';
export {
  type JudgedToken,
  type TokenInput,
  type Written,
  legacyTokenCleanerMachine,
} from './legacy-token-cleaner.ts';
