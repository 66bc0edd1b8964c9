import { assign, fromPromise, setup } from 'xstate';

export interface LeaderElectionInput {
  /** The leader gives up when it has not renewed for so long, milliseconds. Default 10 000. */
  readonly renewDeadlineMs?: number;
  /** Pause between two tries to acquire or renew, milliseconds. Default 2 000. */
  readonly retryPeriodMs?: number;
}

export interface LeaderElectionContext extends Required<LeaderElectionInput> {
  /** What is left of the renew deadline, counted from the request that renewed and not from its answer. */
  readonly leftMs: number;
  /** How long another's lease may be left alone before it is looked at again. */
  readonly waitMs: number;
  readonly lastError: string | null;
}

export type LeaderElectionEvent = { readonly type: 'stop' };

/** The answer of a try: whether the lease is held now, and how long ago the request was made that says so. Milliseconds. */
export interface LeaseAnswer {
  readonly held: boolean;
  readonly tookMs: number;
  /** When another's lease may have ended, from now. */
  readonly endsMs?: number;
}

const unprovided = <Output>(name: string) =>
  fromPromise<Output>(() => Promise.reject(new Error(`actor ${name} was not provided`)));

/**
 * One candidate for one lease.
 *
 *     following: trying ⇄ waiting          leading: holding ⇄ renewing
 *         ↑        │ held                     │ lost, or not renewed in time
 *         │        └──────────→ leading       │
 *         └───────────────────────────────────┘        stop: leading → releasing → stopped
 *
 * - A try that fails, is refused or is not answered in time is made again after the pause, and sooner when the lease ends
 *   sooner.
 * - A leader whose lease is another's, or that could not renew within the deadline, follows: the deadline ends before
 *   the lease does, so that it has stopped when the next one begins.
 * - A leader that is stopped gives the lease back, so that the next need not wait for its end.
 */
export const leaderElectionMachine = setup({
  types: {
    input: {} as LeaderElectionInput,
    context: {} as LeaderElectionContext,
    events: {} as LeaderElectionEvent,
    tags: {} as 'leading' | 'undecided',
  },
  actors: {
    /** Takes the lease where it is free, has ended, or is this candidate's own. */
    acquire: unprovided<LeaseAnswer>('acquire'),
    /** The same, for the leader. */
    renew: unprovided<LeaseAnswer>('renew'),
    /** Gives the lease back. */
    release: unprovided<void>('release'),
  },
  guards: { isHeld: (_, answer: LeaseAnswer) => answer.held },
  actions: {
    countFromRequest: assign({
      leftMs: ({ context }, { tookMs }: LeaseAnswer) => Math.max(0, context.renewDeadlineMs - tookMs),
      lastError: null,
    }),
    // Timers know no part of a millisecond: one that is less than a clock can tell would end before the lease does.
    waitForEnd: assign({
      waitMs: ({ context }, { endsMs }: LeaseAnswer) =>
        Math.min(context.retryPeriodMs, Math.ceil(endsMs ?? context.retryPeriodMs)),
    }),
    noteFailure: assign({
      waitMs: ({ context }) => context.retryPeriodMs,
      lastError: (_, { thrown }: { thrown: unknown }) =>
        thrown instanceof Error ? thrown.message : String(thrown),
    }),
  },
  delays: {
    retryPeriod: ({ context }) => context.retryPeriodMs,
    nextTry: ({ context }) => context.waitMs,
    renewDeadline: ({ context }) => context.leftMs,
    answerTimeout: ({ context }) => context.renewDeadlineMs,
  },
}).createMachine({
  id: 'leaderElection',
  context: ({ input }) => ({
    renewDeadlineMs: input.renewDeadlineMs ?? 10_000,
    retryPeriodMs: input.retryPeriodMs ?? 2_000,
    leftMs: input.renewDeadlineMs ?? 10_000,
    waitMs: input.retryPeriodMs ?? 2_000,
    lastError: null,
  }),
  initial: 'following',
  states: {
    following: {
      initial: 'trying',
      on: { stop: 'stopped' },
      states: {
        trying: {
          tags: 'undecided',
          invoke: {
            src: 'acquire',
            onDone: [
              {
                guard: { type: 'isHeld', params: ({ event }) => event.output },
                target: '#leaderElection.leading',
                actions: { type: 'countFromRequest', params: ({ event }) => event.output },
              },
              {
                target: 'waiting',
                actions: { type: 'waitForEnd', params: ({ event }) => event.output },
              },
            ],
            onError: {
              target: 'waiting',
              actions: { type: 'noteFailure', params: ({ event }) => ({ thrown: event.error }) },
            },
          },
          after: { answerTimeout: 'waiting' },
        },
        waiting: { after: { nextTry: 'trying' } },
      },
    },
    leading: {
      tags: 'leading',
      initial: 'holding',
      on: { stop: 'releasing' },
      after: { renewDeadline: 'following.waiting' },
      states: {
        holding: { after: { retryPeriod: 'renewing' } },
        renewing: {
          invoke: {
            src: 'renew',
            onDone: [
              {
                guard: { type: 'isHeld', params: ({ event }) => event.output },
                // Entered anew, so that the deadline starts again.
                target: '#leaderElection.leading',
                reenter: true,
                actions: { type: 'countFromRequest', params: ({ event }) => event.output },
              },
              { target: '#leaderElection.following.waiting' },
            ],
            onError: {
              target: 'holding',
              actions: { type: 'noteFailure', params: ({ event }) => ({ thrown: event.error }) },
            },
          },
        },
      },
    },
    releasing: {
      invoke: { src: 'release', onDone: 'stopped', onError: 'stopped' },
      after: { retryPeriod: 'stopped' },
    },
    stopped: { type: 'final' },
  },
});
