import { createSecretKey } from 'node:crypto';
import type { AnyStateMachine } from 'xstate';
import { createControllers } from '../../controllers/index.ts';
import { reflectorMachine } from '../../machines/informer/reflector.ts';

/** Returns the machines of this program by name: one for each controller, and that of an informer. */
export function knownMachines(): readonly AnyStateMachine[] {
  // The machines do not run, so empty settings suffice.
  const settings = { signers: new Map(), serviceAccountKey: createSecretKey(Buffer.alloc(32)), rootCa: '' };
  return [...createControllers(settings).map(({ machine }) => machine), reflectorMachine].sort((a, b) =>
    a.id < b.id ? -1 : 1,
  );
}
