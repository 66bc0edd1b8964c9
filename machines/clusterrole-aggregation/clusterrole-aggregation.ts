import { assign, setup } from 'xstate';
import {
  type ReconcileInput,
  type ReconcileOutput,
  failedBy,
  reconcileDelays,
  settled,
  unprovided,
} from '../reconcile/reconcile.ts';
import { effectStates } from '../reconcile/effect-state.ts';

/** Aggregated role whose rules differ from the desired rules. */
export interface OutdatedRole {
  readonly uid: string;
  readonly resourceVersion: string;
  /** Desired rules as plain JSON. */
  readonly rules: readonly unknown[];
}

/** Input of the effect that writes the rules of a role. */
export interface UpdateInput extends OutdatedRole {
  readonly key: string;
}

interface Context extends ReconcileInput {
  readonly role: OutdatedRole | undefined;
  readonly output: ReconcileOutput;
}

const machineSetup = setup({
  types: { input: {} as ReconcileInput, context: {} as Context, output: {} as ReconcileOutput },
  actors: {
    observe: unprovided<OutdatedRole | null, { readonly key: string }>('observe'),
    update: unprovided<void, UpdateInput>('update'),
  },
  guards: { 'the rules differ': ({ context }) => context.role !== undefined },
  actions: { fail: assign({ output: failedBy }) },
  delays: reconcileDelays,
});
const effectState = effectStates(machineSetup);

/**
 * Keeps the rules of an aggregated ClusterRole equal to the union of the rules of the roles that it selects.
 *
 *     observing → deciding → updating → settled
 */
export const clusterRoleAggregationMachine = machineSetup.createMachine({
  id: 'clusterrole-aggregation',
  context: ({ input }) => ({ role: undefined, output: settled(), ...input }),
  output: ({ context }) => context.output,
  initial: 'observing',
  states: {
    observing: effectState({
      src: 'observe',
      input: ({ context }) => ({ key: context.key }),
      onDone: { target: 'deciding', actions: assign({ role: ({ event }) => event.output ?? undefined }) },
    }),
    deciding: { always: [{ guard: 'the rules differ', target: 'updating' }, { target: 'settled' }] },
    updating: effectState({
      src: 'update',
      input: ({ context: { key, role } }) => ({
        key,
        uid: role?.uid ?? '',
        resourceVersion: role?.resourceVersion ?? '',
        rules: role?.rules ?? [],
      }),
      onDone: { target: 'settled' },
    }),
    settled: { type: 'final' },
    failed: { type: 'final' },
  },
});
