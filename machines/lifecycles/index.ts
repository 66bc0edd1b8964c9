import type { AnyStateMachine } from 'xstate';
import { type Lifecycle, lifecycles } from '../../api/lifecycles/index.ts';
import { lifecycleMachine } from './lifecycle-machine.ts';

export type { LifecycleEvent } from './lifecycle-machine.ts';
export { lifecycleMachine } from './lifecycle-machine.ts';

const made = new WeakMap<Lifecycle, AnyStateMachine>();

/** Returns the machine of a lifecycle, which is made on first use. */
export function machineOf(lifecycle: Lifecycle): AnyStateMachine {
  const machine = made.get(lifecycle) ?? lifecycleMachine(lifecycle);
  made.set(lifecycle, machine);
  return machine;
}

/** Returns the machines of all lifecycles, in the order of `lifecycles`. */
export const lifecycleMachines = (): readonly AnyStateMachine[] => lifecycles.map(machineOf);
