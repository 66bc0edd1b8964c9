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

/** ServiceAccount of a token Secret, or a ServiceAccount that names a deleted Secret. */
export interface AccountIdentity {
  readonly name: string;
  readonly uid: string;
}

/** Observed state of a token Secret, which decides the next step. */
export type ObservedTokenSecret =
  /** The Secret is correct or is not a token Secret. */
  | { readonly state: 'current' }
  /** The Secret lacks the token, the CA or the namespace, or has another CA. */
  | {
      readonly state: 'unfilled';
      readonly uid: string;
      readonly resourceVersion: string;
      readonly account: AccountIdentity;
    }
  /** The key belongs to a Secret that has to be generated for a ServiceAccount without a token. */
  | { readonly state: 'wanted'; readonly account: AccountIdentity }
  /** The ServiceAccount of the Secret exists neither in the cache nor in the API. */
  | { readonly state: 'orphaned'; readonly uid: string; readonly resourceVersion: string }
  /** The Secret was generated, but its ServiceAccount names another generated Secret. */
  | {
      readonly state: 'duplicate';
      readonly uid: string;
      readonly resourceVersion: string;
      readonly account: AccountIdentity;
    }
  /** The Secret no longer exists, but ServiceAccounts still name it. */
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

/** Duplicate token Secret and its ServiceAccount. */
export interface DuplicateInput extends DeleteInput {
  readonly account: AccountIdentity;
}

/** ServiceAccount and key of a Secret, for a generation or for a reference to add or remove. */
export interface AccountInput {
  readonly key: string;
  readonly account: AccountIdentity;
}

/**
 * Key of the token Secret that the ServiceAccount must name, and names of deleted Secrets that it must no
 * longer name. Null if the ServiceAccount was deleted or already has a token.
 */
export type Generation = { readonly secret: string; readonly deleted: readonly string[] } | null;

/**
 * Input of the effect that adds a Secret to the Secrets named by a ServiceAccount and removes the deleted
 * ones.
 */
export interface ReferenceInput extends AccountInput {
  readonly deleted: readonly string[];
}

interface Context extends ReconcileInput {
  readonly secret: ObservedTokenSecret;
  /** ServiceAccounts that need a token or the removal of a reference; the first is in progress. */
  readonly accounts: readonly AccountIdentity[];
  /**
   * Key of the Secret to which a reference is added or removed: the key of the reconcile, or of a Secret
   * generated in it.
   */
  readonly secretKey: string;
  /** Names of deleted token Secrets that the reference to the generated Secret replaces. */
  readonly deleted: readonly string[];
  readonly output: ReconcileOutput;
}

const noAccount: AccountIdentity = { name: '', uid: '' };

/** Returns the ServiceAccounts to which this reconcile writes or for which it generates a Secret. */
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
 * Keeps a token Secret in line with its ServiceAccount. The key is the key of the Secret, or the key under
 * which a Secret is generated for a ServiceAccount.
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
        account: secret.state === 'unfilled' ? secret.account : noAccount,
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
        account: secret.state === 'duplicate' ? secret.account : noAccount,
      }),
      onDone: { target: 'settled' },
    }),
    generating: effectState({
      src: 'generate',
      input: ({ context: { key, accounts } }) => ({ key, account: accounts[0] ?? noAccount }),
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
        account: accounts[0] ?? noAccount,
      }),
      onDone: { target: 'settled' },
    }),
    unreferencing: effectState({
      src: 'unreference',
      input: ({ context: { key, accounts } }) => ({ key, account: accounts[0] ?? noAccount }),
      onDone: { target: 'deciding', actions: 'tryNext' },
    }),
    settled: { type: 'final' },
    failed: { type: 'final' },
  },
});
