import { createSecretKey } from 'node:crypto';
import type { AnyStateMachine } from 'xstate';
import { createControllers } from '../controllers/index.ts';
import { reflectorMachine } from '../machines/informer/reflector.ts';

/** The machines of this program, in the order of their names: one of each controller, and that of an informer. */
export function knownMachines(): readonly AnyStateMachine[] {
  // Nothing of it runs, so that it does not matter what they would sign with.
  const settings = { signers: new Map(), serviceAccountKey: createSecretKey(Buffer.alloc(32)), rootCa: '' };
  return [...createControllers(settings).map(({ machine }) => machine), reflectorMachine].sort((a, b) =>
    a.id < b.id ? -1 : 1,
  );
}
