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

/** Account of a token Secret, or account that still names a deleted Secret. */
export interface AccountIdentity {
  readonly name: string;
  readonly uid: string;
}

/** Observed state of a token Secret, which decides the next step. */
export type ObservedTokenSecret =
  /** The Secret is correct or is not a token Secret. */
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
  /** Neither the cache nor the API knows the Secret's account. */
  | { readonly state: 'orphaned'; readonly uid: string; readonly resourceVersion: string }
  /** The Secret was generated, and its account refers to another generated one. */
  | {
      readonly state: 'duplicate';
      readonly uid: string;
      readonly resourceVersion: string;
      readonly account: AccountIdentity;
    }
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

/** Duplicate token Secret of the account. */
export interface DuplicateInput extends DeleteInput {
  readonly account: AccountIdentity;
}

/** Account and Secret key of a generation, or of a reference to add or remove. */
export interface AccountInput {
  readonly key: string;
  readonly account: AccountIdentity;
}

/**
 * The key of the token Secret that the account is to name, in place of deleted ones that it names. Null if the account was
 * deleted or has a token by now.
 */
export type Generation = { readonly secret: string; readonly deleted: readonly string[] } | null;

/** The Secret of the key is added to those that the account names, in place of the deleted ones. */
export interface ReferenceInput extends AccountInput {
  readonly deleted: readonly string[];
}

interface Context extends ReconcileInput {
  readonly secret: ObservedTokenSecret;
  /** Accounts that need a token, or a reference removed; the first is in progress. */
  readonly accounts: readonly AccountIdentity[];
  /** The key of the Secret that accounts are to name, or to name no more: the one of the reconcile or one generated in it. */
  readonly secretKey: string;
  /** Names of deleted token Secrets that the reference to the generated one replaces. */
  readonly deleted: readonly string[];
  readonly output: ReconcileOutput;
}

const nobody: AccountIdentity = { name: '', uid: '' };

/** Returns the accounts this reconcile writes to or generates for. */
function accountsIn(secret: ObservedTokenSecret): readonly AccountIdentity[] {
  if (secret.state === 'dangling') return secret.accounts;
  return secret.state === 'wanted' ? [secret.account] : [];
}

const machineSetup = setup({
  types: { input: {} as ReconcileInput, context: {} as Context, output: {} as ReconcileOutput },
  actors: {
    observe: unprovided<ObservedTokenSecret, { readonly key: string }>('observe'),
    fill: unprovided<void, FillInput>('fill'),
    deleteSecret: unprovided<void, DeleteInput>('deleteSecret'),
    removeDuplicate: unprovided<void, DuplicateInput>('removeDuplicate'),
    generate: unprovided<Generation, AccountInput>('generate'),
    reference: unprovided<void, ReferenceInput>('reference'),
    unreference: unprovided<void, AccountInput>('unreference'),
  },
  guards: {
    'the Secret is incomplete': ({ context }) => context.secret.state === 'unfilled',
    'the account does not exist': ({ context }) => context.secret.state === 'orphaned',
    'the account uses another generated token': ({ context }) => context.secret.state === 'duplicate',
    'the account lacks a token': ({ context }) => context.secret.state === 'wanted',
    'an account names a deleted Secret': ({ context }) => context.accounts.length > 0,
    'the account still lacks a token': (_, { generation }: { generation: Generation }) => generation !== null,
  },
  actions: {
    tryNext: assign({ accounts: ({ context }) => context.accounts.slice(1) }),
    fail: assign({ output: failedBy }),
  },
  delays: reconcileDelays,
});
const effectState = effectStates(machineSetup);

/**
 * Keeps a service-account token Secret in line with its account. The key is the Secret's, or that under which one is
 * generated for an account.
 *
 *     observing → deciding → generating → referencing → settled
 *                          → filling | deleting | removingDuplicate → settled
 *                          ⇄ unreferencing
 */
export const serviceAccountTokenMachine = machineSetup.createMachine({
  id: 'serviceaccount-token',
  context: ({ input }) => ({
    secret: { state: 'current' },
    accounts: [],
    secretKey: input.key,
    deleted: [],
    output: settled(),
    ...input,
  }),
  output: ({ context }) => context.output,
  initial: 'observing',
  states: {
    observing: effectState({
      src: 'observe',
      input: ({ context }) => ({ key: context.key }),
      onDone: {
        target: 'deciding',
        actions: assign(({ event }) => ({
          secret: event.output,
          accounts: accountsIn(event.output),
        })),
      },
    }),
    deciding: {
      always: [
        { guard: 'the account lacks a token', target: 'generating' },
        { guard: 'the Secret is incomplete', target: 'filling' },
        { guard: 'the account does not exist', target: 'deleting' },
        { guard: 'the account uses another generated token', target: 'removingDuplicate' },
        { guard: 'an account names a deleted Secret', target: 'unreferencing' },
        { target: 'settled' },
      ],
    },
    filling: effectState({
      src: 'fill',
      input: ({ context: { key, secret } }) => ({
        key,
        uid: 'uid' in secret ? secret.uid : '',
        resourceVersion: 'uid' in secret ? secret.resourceVersion : '',
        account: secret.state === 'unfilled' ? secret.account : nobody,
      }),
      onDone: { target: 'settled' },
    }),
    deleting: effectState({
      src: 'deleteSecret',
      input: ({ context: { key, secret } }) => ({
        key,
        uid: 'uid' in secret ? secret.uid : '',
        resourceVersion: 'uid' in secret ? secret.resourceVersion : '',
      }),
      onDone: { target: 'settled' },
    }),
    removingDuplicate: effectState({
      src: 'removeDuplicate',
      input: ({ context: { key, secret } }) => ({
        key,
        uid: 'uid' in secret ? secret.uid : '',
        resourceVersion: 'uid' in secret ? secret.resourceVersion : '',
        account: secret.state === 'duplicate' ? secret.account : nobody,
      }),
      onDone: { target: 'settled' },
    }),
    generating: effectState({
      src: 'generate',
      input: ({ context: { key, accounts } }) => ({ key, account: accounts[0] ?? nobody }),
      onDone: [
        {
          guard: {
            type: 'the account still lacks a token',
            params: ({ event }) => ({ generation: event.output }),
          },
          target: 'referencing',
          actions: assign(({ context, event: { output } }) => ({
            secretKey: output?.secret ?? context.secretKey,
            deleted: output?.deleted ?? [],
          })),
        },
        { target: 'settled' },
      ],
    }),
    referencing: effectState({
      src: 'reference',
      input: ({ context: { secretKey: key, deleted, accounts } }) => ({
        key,
        deleted,
        account: accounts[0] ?? nobody,
      }),
      onDone: { target: 'settled' },
    }),
    unreferencing: effectState({
      src: 'unreference',
      input: ({ context: { key, accounts } }) => ({ key, account: accounts[0] ?? nobody }),
      onDone: { target: 'deciding', actions: 'tryNext' },
    }),
    settled: { type: 'final' },
    failed: { type: 'final' },
  },
});
