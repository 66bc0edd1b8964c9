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

/** What decides whether a claim or a volume keeps the finalizer that protects it. */
export interface ObservedProtected {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly deleting: boolean;
  readonly isProtected: boolean;
  /** As the caches know it. */
  readonly inUse: boolean;
}

export interface ProtectInput {
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** Whether the object is to have the finalizer afterwards. */
  readonly isProtected: boolean;
}

interface Context extends PassInput {
  readonly found: ObservedProtected | undefined;
  readonly output: PassOutput;
}

const failure = { target: 'failed', actions: 'fail' } as const;
/** A cache that misses both a user and its end never tells: what the server alone knows is asked for again. */
const LOOK_AGAIN_MS = 60_000;

const writeInput = (isProtected: boolean) => ({
  input: ({ context: { key, found } }: { context: Context }): ProtectInput => ({
    key,
    uid: found?.uid ?? '',
    resourceVersion: found?.resourceVersion ?? '',
    isProtected,
  }),
});

/**
 * Lets an object go that is being deleted once nothing uses it, and protects one that is not. Caches may be behind:
 * before the finalizer is taken off, the server itself is asked.
 *
 *     observing → deciding → asking → releasing → settled
 *                          ↘        ↘ requeue (it is used after all)
 *                            protecting → settled
 */
const createProtectionMachine = (id: string) =>
  setup({
    types: { input: {} as PassInput, context: {} as Context, output: {} as PassOutput },
    actors: {
      observe: unprovided<ObservedProtected | null, { readonly key: string }>('observe'),
      isUsed: unprovided<boolean, { readonly key: string }>('isUsed'),
      protect: unprovided<void, ProtectInput>('protect'),
    },
    guards: {
      mayGo: ({ context: { found } }) =>
        found !== undefined && found.deleting && found.isProtected && !found.inUse,
      isBare: ({ context: { found } }) => found !== undefined && !found.deleting && !found.isProtected,
    },
    actions: {
      lookAgain: assign({ output: requeue(LOOK_AGAIN_MS, 'used by what the cache does not show') }),
      fail: assign({ output: ({ event }) => failed(errorText(event)) }),
    },
    delays: passDelays,
  }).createMachine({
    id,
    context: ({ input }) => ({ found: undefined, output: settled(), ...input }),
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
            actions: assign({ found: ({ event }) => event.output ?? undefined }),
          },
          onError: failure,
        },
        after: { effectTimeout: failure },
      },
      deciding: {
        always: [
          { guard: 'mayGo', target: 'asking' },
          { guard: 'isBare', target: 'protecting' },
          { target: 'settled' },
        ],
      },
      asking: {
        invoke: {
          id: 'isUsed',
          src: 'isUsed',
          input: ({ context }) => ({ key: context.key }),
          onDone: [
            { guard: ({ event }) => event.output, target: 'requeue', actions: 'lookAgain' },
            { target: 'releasing' },
          ],
          onError: failure,
        },
        after: { effectTimeout: failure },
      },
      releasing: {
        invoke: { id: 'protect', src: 'protect', ...writeInput(false), onDone: 'settled', onError: failure },
        after: { effectTimeout: failure },
      },
      protecting: {
        invoke: { id: 'protect', src: 'protect', ...writeInput(true), onDone: 'settled', onError: failure },
        after: { effectTimeout: failure },
      },
      settled: { type: 'final' },
      requeue: { type: 'final' },
      failed: { type: 'final' },
    },
  });

/** The key is a claim's `namespace/name`. */
export const pvcProtectionMachine = createProtectionMachine('pvc-protection');
/** The key is a volume's name. */
export const pvProtectionMachine = createProtectionMachine('pv-protection');
