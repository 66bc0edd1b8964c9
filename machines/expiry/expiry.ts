import { assign, setup } from 'xstate';
import {
  type ReconcileInput,
  type ReconcileOutput,
  failedBy,
  reconcileDelays,
  requeue,
  settled,
  unprovided,
} from '../reconcile/reconcile.ts';
import { effectStates } from '../reconcile/effect-state.ts';

/**
 * Observation of an object with a lifetime. The uid and version ensure that exactly this object in this state
 * is deleted.
 */
export interface ObservedLifetime {
  readonly uid: string;
  readonly resourceVersion: string;
  /** Milliseconds until the object expires; 0 or less if it has expired; null if it never expires. */
  readonly leftMs: number | null;
}

export interface DeleteInput {
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/**
 * Result of a deletion. `changed` means that the object differs from the one on which the deletion was
 * decided.
 */
export type Deletion = 'deleted' | 'changed';

export interface ExpiryContext extends ReconcileInput {
  readonly seen: ObservedLifetime | null;
  readonly output: ReconcileOutput;
}

/**
 * Delay in milliseconds before an object that has changed is read again. Its event usually arrives earlier.
 */
const CHANGED_RETRY_MS = 1_000;

export interface ExpiryDeclaration {
  /** Name of the controller. */
  readonly id: string;
  /** Reason of the requeue as one short phrase. */
  readonly until: string;
}

/**
 * Creates a machine that deletes expired objects. The cache and the local clock only decide when to read the
 * API. Before the deletion, the machine reads the object from the API and compares its expiry with the API
 * server's time.
 *
 *     observing → deciding → confirming → judging → deleting → settled
 *                          ↘ requeue (at the expiry) ──────────↗
 */
export function createExpiryMachine({ id, until }: ExpiryDeclaration) {
  const machineSetup = setup({
    types: { input: {} as ReconcileInput, context: {} as ExpiryContext, output: {} as ReconcileOutput },
    actors: {
      observe: unprovided<ObservedLifetime | null, { readonly key: string }>('observe'),
      confirm: unprovided<ObservedLifetime | null, { readonly key: string }>('confirm'),
      deleteObject: unprovided<Deletion, DeleteInput>('deleteObject'),
    },
    guards: {
      'it does not expire': ({ context }) => (context.seen?.leftMs ?? null) === null,
      'it has expired': ({ context }) => (context.seen?.leftMs ?? Infinity) <= 0,
      'it was deleted': (_, { deletion }: { deletion: Deletion }) => deletion === 'deleted',
    },
    actions: {
      wait: assign({ output: ({ context }) => requeue(context.seen?.leftMs ?? 0, until) }),
      readAgain: assign({ output: requeue(CHANGED_RETRY_MS, 'changed before it was deleted') }),
      fail: assign({ output: failedBy }),
    },
    delays: reconcileDelays,
  });
  const effectState = effectStates(machineSetup);
  return machineSetup.createMachine({
    id,
    context: ({ input }) => ({ seen: null, output: settled(), ...input }),
    output: ({ context }) => context.output,
    initial: 'observing',
    states: {
      observing: effectState({
        src: 'observe',
        input: ({ context }) => ({ key: context.key }),
        onDone: { target: 'deciding', actions: assign({ seen: ({ event }) => event.output }) },
      }),
      deciding: {
        always: [
          { guard: 'it does not expire', target: 'settled' },
          { guard: 'it has expired', target: 'confirming' },
          { target: 'requeue', actions: 'wait' },
        ],
      },
      confirming: effectState({
        src: 'confirm',
        input: ({ context }) => ({ key: context.key }),
        onDone: { target: 'judging', actions: assign({ seen: ({ event }) => event.output }) },
      }),
      judging: {
        always: [
          { guard: 'it does not expire', target: 'settled' },
          { guard: 'it has expired', target: 'deleting' },
          { target: 'requeue', actions: 'wait' },
        ],
      },
      deleting: effectState({
        src: 'deleteObject',
        input: ({ context: { key, seen } }) => ({
          key,
          uid: seen?.uid ?? '',
          resourceVersion: seen?.resourceVersion ?? '',
        }),
        onDone: [
          {
            guard: { type: 'it was deleted', params: ({ event }) => ({ deletion: event.output }) },
            target: 'settled',
          },
          { target: 'requeue', actions: 'readAgain' },
        ],
      }),
      settled: { type: 'final' },
      requeue: { type: 'final' },
      failed: { type: 'final' },
    },
  });
}
