import { assign, fromPromise, setup } from 'xstate';

export interface LeaderElectionInput {
  /** Time without a renewal, in milliseconds, after which the leader gives up. Default 10,000. */
  readonly renewDeadlineMs?: number;
  /** Pause between two attempts to acquire or renew, in milliseconds. Default 2,000. */
  readonly retryPeriodMs?: number;
}

export interface LeaderElectionContext extends Required<LeaderElectionInput> {
  /**
   * Milliseconds left of the renew deadline, counted from the renewing request instead of from its response.
   */
  readonly leftMs: number;
  /** Milliseconds until the next read of another candidate's lease. */
  readonly waitMs: number;
  readonly lastError: string | null;
}

export type LeaderElectionEvent = { readonly type: 'stop' };

/**
 * Result of an attempt: whether the candidate holds the lease, and the age in milliseconds of the request
 * that proves it.
 */
export interface LeaseAnswer {
  readonly held: boolean;
  readonly tookMs: number;
  /** Milliseconds from now until the lease of another candidate may have ended. */
  readonly endsMs?: number;
}

const unprovided = <Output>(name: string) =>
  fromPromise<Output>(() => Promise.reject(new Error(`actor ${name} was not provided`)));

/**
 * Runs one candidate for one lease.
 *
 *     following: trying ⇄ waiting          leading: holding ⇄ renewing
 *         ↑        │ held                     │ lost, or not renewed in time
 *         │        └──────────→ leading       │
 *         └───────────────────────────────────┘        stop: leading → releasing → stopped
 * - An attempt that fails, is rejected or times out is repeated after the retry period, or earlier if the
 * lease of the other candidate ends earlier.
 * - A leader becomes a follower if another candidate holds the lease or the renewal misses the deadline. The
 * deadline is before the end of the lease, so that the leader has stopped before the next leader starts.
 * - A stopped leader releases the lease, so that the next leader need not wait for the end of the lease.
 */
export const leaderElectionMachine = setup({
  types: {
    input: {} as LeaderElectionInput,
    context: {} as LeaderElectionContext,
    events: {} as LeaderElectionEvent,
    tags: {} as 'leading' | 'undecided',
  },
  actors: {
    /** Takes the lease if it is free, has ended or already belongs to this candidate. */
    acquire: unprovided<LeaseAnswer>('acquire'),
    /** Renews the lease of the leader. */
    renew: unprovided<LeaseAnswer>('renew'),
    /** Releases the lease. */
    release: unprovided<void>('release'),
  },
  guards: { 'the lease is held': (_, answer: LeaseAnswer) => answer.held },
  actions: {
    countFromRequest: assign({
      leftMs: ({ context }, { tookMs }: LeaseAnswer) => Math.max(0, context.renewDeadlineMs - tookMs),
      lastError: null,
    }),
    // Timers have whole milliseconds. A delay that is rounded down would end before the lease.
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
                guard: { type: 'the lease is held', params: ({ event }) => event.output },
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
                guard: { type: 'the lease is held', params: ({ event }) => event.output },
                // The state is re-entered, so that the deadline starts again.
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
