export type { ObservedObject } from './decide.ts';
export {
  type DeleteInput,
  type ReleaseInput,
  type RemoveFinalizerInput,
  type Target,
  type WakeInput,
  garbageCollectorMachine,
} from './garbage-collector.ts';
