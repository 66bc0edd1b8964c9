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

/** What the age of a certificate request is judged by; times in milliseconds since the epoch. */
export interface ObservedRequest {
  readonly nowMs: number;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly createdMs: number;
  readonly approvedMs: number | undefined;
  readonly deniedMs: number | undefined;
  readonly failedMs: number | undefined;
  readonly issued: boolean;
  /** When the issued certificate runs out; undefined without one, or when it cannot be read. */
  readonly certificateEndsMs: number | undefined;
}

export interface DeleteInput {
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

const HOUR = 3_600_000;
/** Approved and issued, denied or failed (specification 2, section 3.1). */
export const DECIDED_LIFETIME_MS = HOUR;
/** Nobody has decided, or nobody has issued. */
export const PENDING_LIFETIME_MS = 24 * HOUR;

/** When a request may be deleted: the earliest of what applies to its state. Pure. */
export function endOfLife(request: ObservedRequest): number {
  const { approvedMs, deniedMs, failedMs, issued, certificateEndsMs, createdMs } = request;
  const ends = [
    ...(deniedMs === undefined ? [] : [deniedMs + DECIDED_LIFETIME_MS]),
    ...(failedMs === undefined ? [] : [failedMs + DECIDED_LIFETIME_MS]),
    ...(approvedMs !== undefined && issued ? [approvedMs + DECIDED_LIFETIME_MS] : []),
    ...(certificateEndsMs === undefined ? [] : [certificateEndsMs]),
  ];
  return ends.length === 0 ? createdMs + PENDING_LIFETIME_MS : Math.min(...ends);
}

interface Context extends PassInput {
  readonly request: ObservedRequest | undefined;
  readonly output: PassOutput;
}

const failure = { target: 'failed', actions: 'fail' } as const;
const remaining = (request: ObservedRequest | undefined): number =>
  request === undefined ? 0 : endOfLife(request) - request.nowMs;

/**
 * Deletes a certificate request whose time is over, and sleeps until then.
 *
 *     observing → deciding → deleting → settled
 *                          ↘ requeue (at the end of its life)
 */
export const csrCleanerMachine = setup({
  types: { input: {} as PassInput, context: {} as Context, output: {} as PassOutput },
  actors: {
    observe: unprovided<ObservedRequest | null, { readonly key: string }>('observe'),
    deleteRequest: unprovided<void, DeleteInput>('deleteRequest'),
  },
  guards: {
    isGone: ({ context }) => context.request === undefined,
    isOver: ({ context }) => remaining(context.request) <= 0,
  },
  actions: {
    sleep: assign({ output: ({ context }) => requeue(remaining(context.request), 'end of its life') }),
    fail: assign({ output: ({ event }) => failed(errorText(event)) }),
  },
  delays: passDelays,
}).createMachine({
  id: 'csrcleaner',
  context: ({ input }) => ({ ...input, request: undefined, output: settled() }),
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
          actions: assign({ request: ({ event }) => event.output ?? undefined }),
        },
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    deciding: {
      always: [
        { guard: 'isGone', target: 'settled' },
        { guard: 'isOver', target: 'deleting' },
        { target: 'requeue', actions: 'sleep' },
      ],
    },
    deleting: {
      invoke: {
        id: 'deleteRequest',
        src: 'deleteRequest',
        input: ({ context: { key, request } }) => ({
          key,
          uid: request?.uid ?? '',
          resourceVersion: request?.resourceVersion ?? '',
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
