import { assign, setup } from 'xstate';
import {
  errorText,
  failed,
  passDelays,
  requeue,
  settled,
  unprovided,
  type PassInput,
  type PassOutput,
} from '../pass/pass.ts';

/** What the cleaner saw: enough to decide and to delete exactly that object, and nothing of the token itself. */
export type ObservedToken =
  | { readonly found: false }
  | {
      readonly found: true;
      readonly uid: string;
      readonly resourceVersion: string;
      /** Milliseconds until it expires, 0 or less when it has; null for one that never does. */
      readonly expiresInMs: number | null;
    };

export interface TokenToDelete {
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** `changed` when another writer was faster: the object is gone or is no longer the one decided on. */
export type TokenDeletion = 'deleted' | 'changed';

interface Context extends PassInput {
  readonly token: Extract<ObservedToken, { found: true }> | null;
  readonly output: PassOutput;
}

/** When an object that changed under the deletion is looked at again: its new state will have come by then. */
const CHANGED_RETRY_MS = 1_000;

/**
 * Deletes a bootstrap token once it has expired.
 *
 *     observing → deciding → deleting → settled
 *                          ↘ requeue (at the expiry)
 */
export const tokenCleanerMachine = setup({
  types: {
    input: {} as PassInput,
    context: {} as Context,
    output: {} as PassOutput,
  },
  actors: {
    observe: unprovided<ObservedToken, { readonly key: string }>('observe'),
    deleteToken: unprovided<TokenDeletion, TokenToDelete>('deleteToken'),
  },
  guards: {
    neverExpires: ({ context }) => (context.token?.expiresInMs ?? null) === null,
    hasExpired: ({ context }) => (context.token?.expiresInMs ?? Infinity) <= 0,
  },
  actions: {
    waitForExpiry: assign({
      output: ({ context }) => requeue(context.token?.expiresInMs ?? 0, 'token has not expired'),
    }),
    fail: assign({ output: ({ event }) => failed(errorText(event)) }),
  },
  delays: passDelays,
}).createMachine({
  id: 'tokencleaner',
  context: ({ input }) => ({ ...input, token: null, output: settled() }),
  output: ({ context }) => context.output,
  initial: 'observing',
  states: {
    observing: {
      invoke: {
        id: 'observe',
        src: 'observe',
        input: ({ context }) => ({ key: context.key }),
        onDone: {
          target: 'deciding',
          actions: assign({ token: ({ event }) => (event.output.found ? event.output : null) }),
        },
        onError: { target: 'failed', actions: 'fail' },
      },
      after: { effectTimeout: { target: 'failed', actions: 'fail' } },
    },
    deciding: {
      always: [
        { guard: 'neverExpires', target: 'settled' },
        { guard: 'hasExpired', target: 'deleting' },
        { target: 'requeue', actions: 'waitForExpiry' },
      ],
    },
    deleting: {
      invoke: {
        id: 'deleteToken',
        src: 'deleteToken',
        input: ({ context: { key, token } }) => ({
          key,
          uid: token?.uid ?? '',
          resourceVersion: token?.resourceVersion ?? '',
        }),
        onDone: [
          { guard: ({ event }) => event.output === 'deleted', target: 'settled' },
          {
            target: 'requeue',
            actions: assign({ output: requeue(CHANGED_RETRY_MS, 'token changed before it was deleted') }),
          },
        ],
        onError: { target: 'failed', actions: 'fail' },
      },
      after: { effectTimeout: { target: 'failed', actions: 'fail' } },
    },
    settled: { type: 'final' },
    requeue: { type: 'final' },
    failed: { type: 'final' },
  },
});
