import { assign, setup } from 'xstate';
import {
  type ReconcileInput,
  type ReconcileOutput,
  errorText,
  failed,
  reconcileDelays,
  settled,
  unprovided,
} from '../pass/pass.ts';

/** Aggregated role whose rules are not the desired ones. */
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

const failure = { target: 'failed', actions: 'fail' } as const;

/**
 * Keeps the rules of an aggregated ClusterRole equal to the union of the roles it selects.
 *
 *     observing → deciding → updating → settled
 */
export const clusterRoleAggregationMachine = setup({
  types: { input: {} as ReconcileInput, context: {} as Context, output: {} as ReconcileOutput },
  actors: {
    observe: unprovided<OutdatedRole | null, { readonly key: string }>('observe'),
    update: unprovided<void, UpdateInput>('update'),
  },
  guards: { isOutdated: ({ context }) => context.role !== undefined },
  actions: { fail: assign({ output: ({ event }) => failed(errorText(event)) }) },
  delays: reconcileDelays,
}).createMachine({
  id: 'clusterrole-aggregation',
  context: ({ input }) => ({ role: undefined, output: settled(), ...input }),
  output: ({ context }) => context.output,
  initial: 'observing',
  states: {
    observing: {
      invoke: {
        id: 'observe',
        src: 'observe',
        input: ({ context }) => ({ key: context.key }),
        onDone: { target: 'deciding', actions: assign({ role: ({ event }) => event.output ?? undefined }) },
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    deciding: { always: [{ guard: 'isOutdated', target: 'updating' }, { target: 'settled' }] },
    updating: {
      invoke: {
        id: 'update',
        src: 'update',
        input: ({ context: { key, role } }) => ({
          key,
          uid: role?.uid ?? '',
          resourceVersion: role?.resourceVersion ?? '',
          rules: role?.rules ?? [],
        }),
        onDone: { target: 'settled' },
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    settled: { type: 'final' },
    failed: { type: 'final' },
  },
});
