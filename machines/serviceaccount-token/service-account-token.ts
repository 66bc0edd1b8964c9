import { assign, setup } from 'xstate';
import {
  type PassInput,
  type PassOutput,
  errorText,
  failed,
  passDelays,
  settled,
  unprovided,
} from '../pass/pass.ts';

/** Account of a token Secret, or account that still names a deleted Secret. */
export interface AccountIdentity {
  readonly name: string;
  readonly uid: string;
}

/** Observed state of a token Secret, which decides the next step. */
export type ObservedTokenSecret =
  /** The Secret is correct or is no token Secret. */
  | { readonly state: 'current' }
  /** The Secret lacks the token, the CA or the namespace, or holds another CA. */
  | {
      readonly state: 'unfilled';
      readonly uid: string;
      readonly resourceVersion: string;
      readonly account: AccountIdentity;
    }
  /** The Secret is to be generated for an account that has none. */
  | { readonly state: 'wanted'; readonly account: AccountIdentity }
  /** The generated Secret is correct, but its account does not name it yet. */
  | { readonly state: 'unnamed'; readonly account: AccountIdentity }
  /** Neither the cache nor the API knows the Secret's account. */
  | { readonly state: 'orphaned'; readonly uid: string; readonly resourceVersion: string }
  /** The Secret no longer exists, but accounts still name it. */
  | { readonly state: 'dangling'; readonly accounts: readonly AccountIdentity[] };

export interface FillInput {
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly account: AccountIdentity;
}

export interface DeleteInput {
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** Account and Secret key of a generation, or of a reference to add or remove. */
export interface AccountInput {
  readonly key: string;
  readonly account: AccountIdentity;
}

/**
 * Key of the token Secret that the account is to name; null if the account was deleted or has a token by now.
 */
export type Generation = { readonly secret: string } | null;

interface Context extends PassInput {
  readonly secret: ObservedTokenSecret;
  /** Accounts to generate for or to remove the reference from; the first is in progress. */
  readonly accounts: readonly AccountIdentity[];
  /**
   * Key of the Secret whose reference is added or removed: the key of the reconcile, or the one generated in
   * it.
   */
  readonly secretKey: string;
  readonly output: PassOutput;
}

const nobody: AccountIdentity = { name: '', uid: '' };

/** Returns the accounts this reconcile writes to or generates for. */
function accountsIn(secret: ObservedTokenSecret): readonly AccountIdentity[] {
  if (secret.state === 'dangling') return secret.accounts;
  return secret.state === 'wanted' || secret.state === 'unnamed' ? [secret.account] : [];
}

const failure = { target: 'failed', actions: 'fail' } as const;

/**
 * Keeps a service-account token Secret in line with its account. The key is the Secret's, or that under which one is
 * generated for an account.
 *
 *     observing → deciding → generating → referencing → settled
 *                          → filling | deleting → settled
 *                          ⇄ unreferencing
 */
export const serviceAccountTokenMachine = setup({
  types: { input: {} as PassInput, context: {} as Context, output: {} as PassOutput },
  actors: {
    observe: unprovided<ObservedTokenSecret, { readonly key: string }>('observe'),
    fill: unprovided<void, FillInput>('fill'),
    deleteSecret: unprovided<void, DeleteInput>('deleteSecret'),
    generate: unprovided<Generation, AccountInput>('generate'),
    reference: unprovided<void, AccountInput>('reference'),
    unreference: unprovided<void, AccountInput>('unreference'),
  },
  guards: {
    isUnfilled: ({ context }) => context.secret.state === 'unfilled',
    isOrphaned: ({ context }) => context.secret.state === 'orphaned',
    isWanted: ({ context }) => context.secret.state === 'wanted',
    isUnnamed: ({ context }) => context.secret.state === 'unnamed',
    isReferenced: ({ context }) => context.accounts.length > 0,
  },
  actions: {
    tryNext: assign({ accounts: ({ context }) => context.accounts.slice(1) }),
    fail: assign({ output: ({ event }) => failed(errorText(event)) }),
  },
  delays: passDelays,
}).createMachine({
  id: 'serviceaccount-token',
  context: ({ input }) => ({
    secret: { state: 'current' },
    accounts: [],
    secretKey: input.key,
    output: settled(),
    ...input,
  }),
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
          actions: assign(({ event }) => ({
            secret: event.output,
            accounts: accountsIn(event.output),
          })),
        },
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    deciding: {
      always: [
        { guard: 'isWanted', target: 'generating' },
        { guard: 'isUnnamed', target: 'referencing' },
        { guard: 'isUnfilled', target: 'filling' },
        { guard: 'isOrphaned', target: 'deleting' },
        { guard: 'isReferenced', target: 'unreferencing' },
        { target: 'settled' },
      ],
    },
    filling: {
      invoke: {
        id: 'fill',
        src: 'fill',
        input: ({ context: { key, secret } }) => ({
          key,
          uid: 'uid' in secret ? secret.uid : '',
          resourceVersion: 'uid' in secret ? secret.resourceVersion : '',
          account: secret.state === 'unfilled' ? secret.account : nobody,
        }),
        onDone: { target: 'settled' },
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    deleting: {
      invoke: {
        id: 'deleteSecret',
        src: 'deleteSecret',
        input: ({ context: { key, secret } }) => ({
          key,
          uid: 'uid' in secret ? secret.uid : '',
          resourceVersion: 'uid' in secret ? secret.resourceVersion : '',
        }),
        onDone: { target: 'settled' },
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    generating: {
      invoke: {
        id: 'generate',
        src: 'generate',
        input: ({ context: { key, accounts } }) => ({ key, account: accounts[0] ?? nobody }),
        onDone: [
          {
            guard: ({ event }) => event.output !== null,
            target: 'referencing',
            actions: assign(({ context, event }) => ({
              secretKey: event.output?.secret ?? context.secretKey,
            })),
          },
          { target: 'settled' },
        ],
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    referencing: {
      invoke: {
        id: 'reference',
        src: 'reference',
        input: ({ context: { secretKey: key, accounts } }) => ({ key, account: accounts[0] ?? nobody }),
        onDone: { target: 'settled' },
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    unreferencing: {
      invoke: {
        id: 'unreference',
        src: 'unreference',
        input: ({ context: { key, accounts } }) => ({ key, account: accounts[0] ?? nobody }),
        onDone: { target: 'deciding', actions: 'tryNext' },
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    settled: { type: 'final' },
    failed: { type: 'final' },
  },
});
