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
 * Permission check with the access-review API: may the requester create this subresource of
 * CertificateSigningRequests?
 */
export interface Candidate {
  readonly subresource: 'selfnodeclient' | 'nodeclient';
  /** Message of the `Approved` condition if the review allows it. */
  readonly message: string;
}

/**
 * CertificateSigningRequest to decide on. A request has candidates only if it is undecided and has the form
 * of a kubelet client certificate.
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
  /** Candidates not reviewed yet; the review of the first is in progress. */
  readonly candidates: readonly Candidate[];
  readonly output: ReconcileOutput;
}

/**
 * Delay in milliseconds before a request without permission is reviewed again, because the permission may be
 * granted later.
 */
const REVIEW_AGAIN_MS = 60_000;

const machineSetup = setup({
  types: { input: {} as ReconcileInput, context: {} as Context, output: {} as ReconcileOutput },
  actors: {
    observe: unprovided<ObservedRequest | null, { readonly key: string }>('observe'),
    review: unprovided<boolean, ReviewInput>('review'),
    approve: unprovided<void, ApproveInput>('approve'),
  },
  guards: {
    'there is nothing to decide': ({ context }) => (context.request?.candidates.length ?? 0) === 0,
    'a review is left': ({ context }) => context.candidates.length > 0,
    'the requester is permitted': (_, { allowed }: { allowed: boolean }) => allowed,
  },
  actions: {
    tryNext: assign({ candidates: ({ context }) => context.candidates.slice(1) }),
    reviewAgainLater: assign({
      output: requeue(REVIEW_AGAIN_MS, 'the requester has no permission for this certificate yet'),
    }),
    fail: assign({ output: failedBy }),
  },
  delays: reconcileDelays,
});
const effectState = effectStates(machineSetup);

/**
 * Approves a kubelet client certificate if its requester has the permission for it.
 *
 *     observing → deciding → reviewing ⇄ deciding → approving → settled
 *                                      ↘ requeue (no permission yet)
 */
export const csrApprovingMachine = machineSetup.createMachine({
  id: 'csrapproving',
  context: ({ input }) => ({ request: undefined, candidates: [], output: settled(), ...input }),
  output: ({ context }) => context.output,
  initial: 'observing',
  states: {
    observing: effectState({
      src: 'observe',
      input: ({ context }) => ({ key: context.key }),
      onDone: {
        target: 'deciding',
        actions: assign({
          request: ({ event }) => event.output ?? undefined,
          candidates: ({ event }) => event.output?.candidates ?? [],
        }),
      },
    }),
    deciding: {
      always: [
        { guard: 'there is nothing to decide', target: 'settled' },
        { guard: 'a review is left', target: 'reviewing' },
        { target: 'requeue', actions: 'reviewAgainLater' },
      ],
    },
    reviewing: effectState({
      src: 'review',
      input: ({ context: { key, request, candidates } }) => ({
        key,
        uid: request?.uid ?? '',
        subresource: candidates[0]?.subresource ?? 'nodeclient',
      }),
      onDone: [
        {
          guard: { type: 'the requester is permitted', params: ({ event }) => ({ allowed: event.output }) },
          target: 'approving',
        },
        { target: 'deciding', actions: 'tryNext' },
      ],
    }),
    approving: effectState({
      src: 'approve',
      input: ({ context: { key, request, candidates } }) => ({
        key,
        uid: request?.uid ?? '',
        resourceVersion: request?.resourceVersion ?? '',
        message: candidates[0]?.message ?? '',
      }),
      onDone: { target: 'settled' },
    }),
    settled: { type: 'final' },
    requeue: { type: 'final' },
    failed: { type: 'final' },
  },
});
