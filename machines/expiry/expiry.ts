import { assign, setup } from 'xstate';
import {
  type PassInput,
  type PassOutput,
  errorText,
  failed,
  passDelays,
  requeue,
  settled,
  unprovided,
} from '../pass/pass.ts';

/** What was seen of an object with a lifetime: enough to decide and to delete exactly that object in that state. */
export interface ObservedLifetime {
  readonly uid: string;
  readonly resourceVersion: string;
  /** Milliseconds until its time is over, 0 or less when it is; null for one that stays. */
  readonly leftMs: number | null;
}

export interface DeleteInput {
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** `changed` when another writer was faster: the object is no longer the one decided on. */
export type Deletion = 'deleted' | 'changed';

export interface ExpiryContext extends PassInput {
  readonly seen: ObservedLifetime | null;
  readonly output: PassOutput;
}

/** When an object that changed under the deletion is looked at again: its new state will have come by then. */
const CHANGED_RETRY_MS = 1_000;

const failure = { target: 'failed', actions: 'fail' } as const;

export interface ExpiryDeclaration {
  /** The controller's name. */
  readonly id: string;
  /** What a pass waits for, one phrase. */
  readonly until: string;
}

/**
 * A machine that deletes an object when its time is over. What the cache and the own clock say is only when to look: before
 * it deletes, it asks the API for the object as it is now and judges it by the API server's time.
 *
 *     observing → deciding → confirming → judging → deleting → settled
 *                          ↘ requeue (at the end of its time) ↗
 */
export const createExpiryMachine = ({ id, until }: ExpiryDeclaration) =>
  setup({
    types: { input: {} as PassInput, context: {} as ExpiryContext, output: {} as PassOutput },
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
      lookAgain: assign({ output: requeue(CHANGED_RETRY_MS, 'changed before it was deleted') }),
      fail: assign({ output: ({ event }) => failed(errorText(event)) }),
    },
    delays: passDelays,
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
            { target: 'requeue', actions: 'lookAgain' },
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
