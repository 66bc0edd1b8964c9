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

/** Question for the access-review API: may the requester create this subresource of certificate requests? */
export interface Candidate {
  readonly subresource: 'selfnodeclient' | 'nodeclient';
  /** Message of the `Approved` condition if the review allows it. */
  readonly message: string;
}

/**
 * Certificate request to decide on. Only undecided requests with the shape of a kubelet client certificate
 * have candidates.
 */
export interface ObservedRequest {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly candidates: readonly Candidate[];
}

export interface ReviewInput {
  readonly key: string;
  readonly uid: string;
  readonly subresource: Candidate['subresource'];
}

export interface ApproveInput {
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly message: string;
}

interface Context extends ReconcileInput {
  readonly request: ObservedRequest | undefined;
  /** Candidates not reviewed yet; the first is under review. */
  readonly candidates: readonly Candidate[];
  readonly output: ReconcileOutput;
}

/** Delay before a refused request is reviewed again, because the permission may be granted later. */
const REVIEW_AGAIN_MS = 60_000;

const failure = { target: 'failed', actions: 'fail' } as const;

/**
 * Approves a kubelet client certificate if its requester is permitted to have it.
 *
 *     observing → deciding → reviewing ⇄ deciding → approving → settled
 *                                      ↘ requeue (no right yet)
 */
export const csrApprovingMachine = setup({
  types: { input: {} as ReconcileInput, context: {} as Context, output: {} as ReconcileOutput },
  actors: {
    observe: unprovided<ObservedRequest | null, { readonly key: string }>('observe'),
    review: unprovided<boolean, ReviewInput>('review'),
    approve: unprovided<void, ApproveInput>('approve'),
  },
  guards: {
    hasNothingToDecide: ({ context }) => (context.request?.candidates.length ?? 0) === 0,
    hasCandidate: ({ context }) => context.candidates.length > 0,
  },
  actions: {
    tryNext: assign({ candidates: ({ context }) => context.candidates.slice(1) }),
    reviewAgainLater: assign({
      output: requeue(REVIEW_AGAIN_MS, 'the requester has no right to this certificate yet'),
    }),
    fail: assign({ output: ({ event }) => failed(errorText(event)) }),
  },
  delays: reconcileDelays,
}).createMachine({
  id: 'csrapproving',
  context: ({ input }) => ({ request: undefined, candidates: [], output: settled(), ...input }),
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
          actions: assign({
            request: ({ event }) => event.output ?? undefined,
            candidates: ({ event }) => event.output?.candidates ?? [],
          }),
        },
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    deciding: {
      always: [
        { guard: 'hasNothingToDecide', target: 'settled' },
        { guard: 'hasCandidate', target: 'reviewing' },
        { target: 'requeue', actions: 'reviewAgainLater' },
      ],
    },
    reviewing: {
      invoke: {
        id: 'review',
        src: 'review',
        input: ({ context: { key, request, candidates } }) => ({
          key,
          uid: request?.uid ?? '',
          subresource: candidates[0]?.subresource ?? 'nodeclient',
        }),
        onDone: [
          { guard: ({ event }) => event.output, target: 'approving' },
          { target: 'deciding', actions: 'tryNext' },
        ],
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    approving: {
      invoke: {
        id: 'approve',
        src: 'approve',
        input: ({ context: { key, request, candidates } }) => ({
          key,
          uid: request?.uid ?? '',
          resourceVersion: request?.resourceVersion ?? '',
          message: candidates[0]?.message ?? '',
        }),
        onDone: { target: 'settled' },
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    settled: { type: 'final' },
    requeue: { type: 'final' },
    failed: { type: 'final' },
  },
});
