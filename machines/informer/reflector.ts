import { assign, fromCallback, fromPromise, setup } from 'xstate';
import { CodedError, messageOf } from '../../base/errors/index.ts';

export interface ReflectorInput {
  /** First wait after a failure in milliseconds. Default 800, as in client-go. */
  readonly baseBackoffMs?: number;
  /** Longest wait in milliseconds. Default 30 000. */
  readonly maxBackoffMs?: number;
  /** Time after which a list is restarted, in milliseconds. Default 300 000. */
  readonly listTimeoutMs?: number;
  /**
   * Silence after which a watch that has delivered bookmarks counts as dead, in milliseconds. Default 120
   * 000.
   */
  readonly silenceMs?: number;
  /**
   * The same for a server without bookmarks, in milliseconds; longer than the server's own limit for a watch.
   * Default 660 000.
   */
  readonly quietServerMs?: number;
}

export interface ReflectorContext extends Required<ReflectorInput> {
  /** Opaque version from which the watch resumes; null if a list is needed. */
  readonly version: string | null;
  /** Number of failures since the last event of a watch. */
  readonly attempt: number;
  /** True if the version expired since the last event of a watch. */
  readonly expired: boolean;
  /**
   * True if the last failure was that no connection was established. Such failures no longer count once one
   * is.
   */
  readonly unreachable: boolean;
  readonly lastError: string | null;
}

/** Events of the watch, as past facts. */
export type ReflectorEvent =
  /** An event or bookmark is in the store; the watch resumes after `version`. */
  | { readonly type: 'stream.heard'; readonly version: string }
  /** The server ended the stream. `early`: at once and without an event. */
  | { readonly type: 'stream.ended'; readonly early: boolean }
  /** The version has left the server's history (410 Gone). */
  | { readonly type: 'stream.expired' }
  /** Nothing arrived for `silenceMs` or `quietServerMs`. */
  | { readonly type: 'stream.silent' }
  | ({ readonly type: 'stream.failed' } & Failure)
  /** The server accepted the watch; no event has arrived yet. */
  | { readonly type: 'stream.opened' }
  /** A caller ends the wait for a server that could not be reached. */
  | { readonly type: 'retry' }
  /** Another user acquired the informer; any wait ends at once. */
  | { readonly type: 'wanted' };

export interface Failure {
  readonly message: string;
  /** True if no connection was established. */
  readonly unreachable: boolean;
}

export interface Listed {
  readonly version: string;
}

export interface WatchInput {
  readonly version: string;
  readonly silenceMs: number;
  readonly quietServerMs: number;
}

export const failureOf = (thrown: unknown): Failure => ({
  message: messageOf(thrown),
  unreachable: thrown instanceof CodedError && thrown.code === 'ERR_UNREACHABLE',
});
const there = (message: string): Failure => ({ message, unreachable: false });

/** Returns the failures that still count: none after a failure to connect. */
const counted = ({ attempt, unreachable }: ReflectorContext): number => (unreachable ? 0 : attempt);

/**
 * Keeps a store equal to the server's collection: a list, then a watch from its version for as long as that
 * can be resumed.
 *
 *     listing → watching ⇄ backingOff
 *                  ↓ 410      ↓ (no version)
 *               relisting ←───┘
 * - The server's end of a watch is normal and resumes at once. A watch that ends at once without an event is
 * a failure.
 * - After 410 deletions may have been missed, so the version is dropped and the collection listed again. The
 * first list starts at once. If no event arrived in between, the next one waits, so that a server that
 * answers every watch with 410 is not listed in a loop.
 * - Versions are passed on and never compared.
 * - A watch that is silent for too long is abandoned and resumed, because its connection may be half-open.
 * - The wait after a failure to connect may be cut short. The waits start again at the shortest once a
 * connection is established, so that a long outage causes no long wait afterwards.
 */
export const reflectorMachine = setup({
  types: {
    input: {} as ReflectorInput,
    context: {} as ReflectorContext,
    events: {} as ReflectorEvent,
    tags: {} as 'listing' | 'watching' | 'waiting',
  },
  actors: {
    /** Lists all pages and swaps the store; resolves with the version of the list. */
    list: fromPromise<Listed>(() => Promise.reject(new Error('actor list was not provided'))),
    /**
     * Opens a watch, applies events to the store and reports them; also reports a silence that is too long.
     */
    watch: fromCallback<{ type: 'never' }, WatchInput>(() => {
      throw new Error('actor watch was not provided');
    }),
  },
  guards: {
    hasVersion: ({ context }) => context.version !== null,
    expiredBefore: ({ context }) => context.expired,
    endedEarly: ({ event }) => event.type === 'stream.ended' && event.early,
    unreachable: ({ context }) => context.unreachable,
    outOfReachWithVersion: ({ context }) => context.unreachable && context.version !== null,
  },
  actions: {
    goOnFromList: assign({
      version: (_, listed: Listed) => listed.version,
      attempt: ({ context }) => counted(context),
      unreachable: false,
      lastError: null,
    }),
    goOnFromEvent: assign(({ event }) =>
      event.type === 'stream.heard'
        ? { version: event.version, attempt: 0, expired: false, unreachable: false, lastError: null }
        : {},
    ),
    countAnew: assign({ attempt: ({ context }) => counted(context), unreachable: false }),
    forgetVersion: assign({ version: null, expired: true }),
    countEnd: assign({ attempt: 0, expired: false }),
    countFailure: assign(({ context }, { message, unreachable }: Failure) => ({
      attempt: (unreachable ? context.attempt : counted(context)) + 1,
      unreachable,
      lastError: message,
    })),
  },
  delays: {
    backoff: ({ context }) =>
      Math.min(context.maxBackoffMs, context.baseBackoffMs * 2 ** Math.max(0, context.attempt - 1)),
    listTimeout: ({ context }) => context.listTimeoutMs,
  },
}).createMachine({
  id: 'reflector',
  context: ({ input }) => ({
    baseBackoffMs: input.baseBackoffMs ?? 800,
    maxBackoffMs: input.maxBackoffMs ?? 30_000,
    listTimeoutMs: input.listTimeoutMs ?? 300_000,
    silenceMs: input.silenceMs ?? 120_000,
    quietServerMs: input.quietServerMs ?? 660_000,
    version: null,
    attempt: 0,
    expired: false,
    unreachable: false,
    lastError: null,
  }),
  initial: 'listing',
  states: {
    listing: {
      description: 'the first list: the store is empty and not ready',
      tags: ['listing'],
      invoke: {
        id: 'list',
        src: 'list',
        onDone: {
          target: 'watching',
          actions: { type: 'goOnFromList', params: ({ event }) => event.output },
        },
        onError: {
          target: 'backingOff',
          actions: { type: 'countFailure', params: ({ event }) => failureOf(event.error) },
        },
      },
      after: {
        listTimeout: {
          target: 'backingOff',
          actions: { type: 'countFailure', params: there('the list took too long') },
        },
      },
    },
    relisting: {
      description: 'a list after the version expired: the store serves what it had until the swap',
      tags: ['listing'],
      invoke: {
        id: 'list',
        src: 'list',
        onDone: {
          target: 'watching',
          actions: { type: 'goOnFromList', params: ({ event }) => event.output },
        },
        onError: {
          target: 'backingOff',
          actions: { type: 'countFailure', params: ({ event }) => failureOf(event.error) },
        },
      },
      after: {
        listTimeout: {
          target: 'backingOff',
          actions: { type: 'countFailure', params: there('the list took too long') },
        },
      },
    },
    watching: {
      tags: ['watching'],
      invoke: {
        id: 'watch',
        src: 'watch',
        input: ({ context: { version, silenceMs, quietServerMs } }) => ({
          version: version ?? '',
          silenceMs,
          quietServerMs,
        }),
        onError: {
          target: 'backingOff',
          actions: { type: 'countFailure', params: ({ event }) => failureOf(event.error) },
        },
      },
      on: {
        'stream.heard': { actions: 'goOnFromEvent' },
        'stream.opened': { actions: 'countAnew' },
        'stream.ended': [
          {
            guard: 'endedEarly',
            target: 'backingOff',
            actions: {
              type: 'countFailure',
              params: there('the server ended the watch at once and without a word'),
            },
          },
          { target: 'watching', reenter: true, actions: 'countEnd' },
        ],
        'stream.expired': [
          {
            guard: 'expiredBefore',
            target: 'backingOff',
            actions: ['forgetVersion', { type: 'countFailure', params: there('the version expired again') }],
          },
          {
            target: 'relisting',
            actions: ['forgetVersion', { type: 'countFailure', params: there('the version expired') }],
          },
        ],
        'stream.failed': {
          target: 'backingOff',
          actions: {
            type: 'countFailure',
            params: ({ event: { message, unreachable } }) => ({ message, unreachable }),
          },
        },
        'stream.silent': {
          target: 'backingOff',
          actions: { type: 'countFailure', params: there('the watch was silent for too long') },
        },
      },
    },
    backingOff: {
      tags: ['waiting'],
      on: {
        retry: [
          { guard: 'outOfReachWithVersion', target: 'watching' },
          { guard: 'unreachable', target: 'relisting' },
        ],
        wanted: [{ guard: 'hasVersion', target: 'watching' }, { target: 'relisting' }],
      },
      after: {
        backoff: [{ guard: 'hasVersion', target: 'watching' }, { target: 'relisting' }],
      },
    },
  },
});
