import { assign, fromCallback, fromPromise, setup } from 'xstate';
import { CodedError, messageOf } from '../../base/errors/index.ts';

export interface ReflectorInput {
  /** Minimum delay after a failure in milliseconds. Default 800, as in client-go. */
  readonly baseBackoffMs?: number;
  /** Maximum delay after a failure in milliseconds. Default 30,000. */
  readonly maxBackoffMs?: number;
  /** Time limit of a list in milliseconds; afterwards the list is restarted. Default 300,000. */
  readonly listTimeoutMs?: number;
  /**
   * Time without an event, in milliseconds, after which a watch that has delivered bookmarks is replaced.
   * Default 120,000.
   */
  readonly silenceMs?: number;
  /**
   * Time without an event, in milliseconds, after which a watch without bookmarks is replaced. It is longer
   * than the server's own limit for a watch. Default 660,000.
   */
  readonly quietServerMs?: number;
}

export interface ReflectorContext extends Required<ReflectorInput> {
  /** Version from which the watch resumes, an opaque string; null if a list is needed. */
  readonly version: string | null;
  /** Number of failures since the last event of a watch. */
  readonly attempt: number;
  /** True if a version has expired since the last event of a watch. */
  readonly expired: boolean;
  /**
   * True if the last attempt established no connection. Once a connection is established, such failures no
   * longer count in `attempt`.
   */
  readonly unreachable: boolean;
  readonly lastError: string | null;
}

/** Events of the watch. */
export type ReflectorEvent =
  /** The store contains an event or bookmark; the watch can resume after `version`. */
  | { readonly type: 'stream.heard'; readonly version: string }
  /** The server ended the stream. `early` is true if the stream ended at once without an event. */
  | { readonly type: 'stream.ended'; readonly early: boolean }
  /** The server no longer has the version in its history (410 Gone). */
  | { readonly type: 'stream.expired' }
  /** No event arrived for `silenceMs` or `quietServerMs`. */
  | { readonly type: 'stream.silent' }
  | ({ readonly type: 'stream.failed' } & Failure)
  /** The server accepted the watch; no event has arrived yet. */
  | { readonly type: 'stream.opened' }
  /** The caller ends the delay for a server to which no connection was established. */
  | { readonly type: 'retry' }
  /** Another view acquired the informer. This ends a delay if there is one. */
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

/**
 * Returns the number of failures that still count once a connection is established: 0 after a failure to
 * connect.
 */
const counted = ({ attempt, unreachable }: ReflectorContext): number => (unreachable ? 0 : attempt);

/**
 * Keeps a store equal to the server's collection: a list, then watches from its version for as long as they
 * can be resumed.
 *
 *     listing → watching ⇄ backingOff
 *                  ↓ 410      ↓ (no version)
 *               relisting ←───┘
 * - The server's end of a watch is normal, and the watch is resumed at once. A watch that ends at once
 * without an event is a failure.
 * - After 410, deletions may have been missed, so the version is dropped and the collection is listed again.
 * The first such list starts at once. If no event arrives afterwards, the next list is delayed, so that a
 * server that responds to every watch with 410 is not listed in a loop.
 * - Versions are passed on and never compared.
 * - A watch that is silent for too long is replaced by a resumed watch, because its connection may be
 * half-open.
 * - A caller may cut short the delay after a failure to connect. The delays start again at the minimum once a
 * connection is established, so that a long outage causes no long delay afterwards.
 */
export const reflectorMachine = setup({
  types: {
    input: {} as ReflectorInput,
    context: {} as ReflectorContext,
    events: {} as ReflectorEvent,
    tags: {} as 'listing' | 'watching' | 'waiting',
  },
  actors: {
    /** Lists all pages and replaces the objects in the store. Resolves to the version of the list. */
    list: fromPromise<Listed>(() => Promise.reject(new Error('actor list was not provided'))),
    /**
     * Opens a watch, applies its events to the store and reports them. Also reports a watch that is silent
     * for too long.
     */
    watch: fromCallback<{ type: 'never' }, WatchInput>(() => {
      throw new Error('actor watch was not provided');
    }),
  },
  guards: {
    'a version is known': ({ context }) => context.version !== null,
    'the version expired before': ({ context }) => context.expired,
    'the watch ended at once': ({ event }) => event.type === 'stream.ended' && event.early,
    'the server was unreachable': ({ context }) => context.unreachable,
    'the server was unreachable and a version is known': ({ context }) =>
      context.unreachable && context.version !== null,
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
    restartCount: assign({ attempt: ({ context }) => counted(context), unreachable: false }),
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
        'stream.opened': { actions: 'restartCount' },
        'stream.ended': [
          {
            guard: 'the watch ended at once',
            target: 'backingOff',
            actions: {
              type: 'countFailure',
              params: there('the server ended the watch at once without an event'),
            },
          },
          { target: 'watching', reenter: true, actions: 'countEnd' },
        ],
        'stream.expired': [
          {
            guard: 'the version expired before',
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
          { guard: 'the server was unreachable and a version is known', target: 'watching' },
          { guard: 'the server was unreachable', target: 'relisting' },
        ],
        wanted: [{ guard: 'a version is known', target: 'watching' }, { target: 'relisting' }],
      },
      after: {
        backoff: [{ guard: 'a version is known', target: 'watching' }, { target: 'relisting' }],
      },
    },
  },
});
