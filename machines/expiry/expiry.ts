import { assign, setup } from 'xstate';
import {
  type ReconcileInput,
  type ReconcileOutput,
  errorText,
  failed,
  reconcileDelays,
  requeue,
  settled,
  unprovided,
} from '../pass/pass.ts';

/**
 * Observation of an object with a lifetime: enough to decide, and to delete exactly that object in that
 * state.
 */
export interface ObservedLifetime {
  readonly uid: string;
  readonly resourceVersion: string;
  /** Milliseconds until the object expires, 0 or less once it has; null if it never expires. */
  readonly leftMs: number | null;
}

export interface DeleteInput {
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/**
 * Result of a deletion. `changed`: another writer was faster, so the object is no longer the one decided on.
 */
export type Deletion = 'deleted' | 'changed';

export interface ExpiryContext extends ReconcileInput {
  readonly seen: ObservedLifetime | null;
  readonly output: ReconcileOutput;
}

/** Delay before an object that changed before its deletion is read again; its event arrives by then. */
const CHANGED_RETRY_MS = 1_000;

const failure = { target: 'failed', actions: 'fail' } as const;

export interface ExpiryDeclaration {
  /** Name of the controller. */
  readonly id: string;
  /** Reason of the requeue, as one phrase. */
  readonly until: string;
}

/**
 * Creates a machine that deletes expired objects. The cache and the local clock only decide when to look.
 * Before it deletes, the machine reads the object from the API and judges it by the API server's time.
 *
 *     observing → deciding → confirming → judging → deleting → settled
 *                          ↘ requeue (at the expiry) ──────────↗
 */
export const createExpiryMachine = ({ id, until }: ExpiryDeclaration) =>
  setup({
    types: { input: {} as ReconcileInput, context: {} as ExpiryContext, output: {} as ReconcileOutput },
    actors: {
      observe: unprovided<ObservedLifetime | null, { readonly key: string }>('observe'),
      confirm: unprovided<ObservedLifetime | null, { readonly key: string }>('confirm'),
      deleteObject: unprovided<Deletion, DeleteInput>('deleteObject'),
    },
    guards: {
      stays: ({ context }) => (context.seen?.leftMs ?? null) === null,
      isOver: ({ context }) => (context.seen?.leftMs ?? Infinity) <= 0,
    },
    actions: {
      wait: assign({ output: ({ context }) => requeue(context.seen?.leftMs ?? 0, until) }),
      readAgain: assign({ output: requeue(CHANGED_RETRY_MS, 'changed before it was deleted') }),
      fail: assign({ output: ({ event }) => failed(errorText(event)) }),
    },
    delays: reconcileDelays,
  }).createMachine({
    id,
    context: ({ input }) => ({ seen: null, output: settled(), ...input }),
    output: ({ context }) => context.output,
    initial: 'observing',
    states: {
      observing: {
        invoke: {
          id: 'observe',
          src: 'observe',
          input: ({ context }) => ({ key: context.key }),
          onDone: { target: 'deciding', actions: assign({ seen: ({ event }) => event.output }) },
          onError: failure,
        },
        after: { effectTimeout: failure },
      },
      deciding: {
        always: [
          { guard: 'stays', target: 'settled' },
          { guard: 'isOver', target: 'confirming' },
          { target: 'requeue', actions: 'wait' },
        ],
      },
      confirming: {
        invoke: {
          id: 'confirm',
          src: 'confirm',
          input: ({ context }) => ({ key: context.key }),
          onDone: { target: 'judging', actions: assign({ seen: ({ event }) => event.output }) },
          onError: failure,
        },
        after: { effectTimeout: failure },
      },
      judging: {
        always: [
          { guard: 'stays', target: 'settled' },
          { guard: 'isOver', target: 'deleting' },
          { target: 'requeue', actions: 'wait' },
        ],
      },
      deleting: {
        invoke: {
          id: 'deleteObject',
          src: 'deleteObject',
          input: ({ context: { key, seen } }) => ({
            key,
            uid: seen?.uid ?? '',
            resourceVersion: seen?.resourceVersion ?? '',
          }),
          onDone: [
            { guard: ({ event }) => event.output === 'deleted', target: 'settled' },
            { target: 'requeue', actions: 'readAgain' },
          ],
          onError: failure,
        },
        after: { effectTimeout: failure },
      },
      settled: { type: 'final' },
      requeue: { type: 'final' },
      failed: { type: 'final' },
    },
  });
