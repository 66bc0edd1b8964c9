import type { AnyStateMachine } from 'xstate';
import { createControllers, specimenSettings } from '../../controllers/index.ts';
import { lifecycleMachines } from '../../machines/lifecycles/index.ts';
import { reflectorMachine } from '../../machines/informer/reflector.ts';

/**
 * Returns the machines of this program, ordered by name: one for each controller, and the machine of
 * informers.
 */
export function knownMachines(): readonly AnyStateMachine[] {
  return [...createControllers(specimenSettings).map(({ machine }) => machine), reflectorMachine].sort(
    (a, b) => (a.id < b.id ? -1 : 1),
  );
}

/** Returns the machines that `orch machines` prints: those of `knownMachines`, and those of lifecycles. */
export const printedMachines = (): readonly AnyStateMachine[] => [
  ...knownMachines(),
  ...lifecycleMachines().toSorted((a, b) => (a.id < b.id ? -1 : 1)),
];
