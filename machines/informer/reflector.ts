import { assign, fromCallback, fromPromise, setup } from 'xstate';
import { CodedError, messageOf } from '../../base/errors/coded.ts';

export interface ReflectorInput {
  /** First wait after a failure, milliseconds. Default 800, as client-go has it. */
  readonly baseBackoffMs?: number;
  /** Longest wait, milliseconds. Default 30 000. */
  readonly maxBackoffMs?: number;
  /** A list that takes longer is begun anew, milliseconds. Default 300 000. */
  readonly listTimeoutMs?: number;
  /** A watch that brings bookmarks and is silent this long is taken for dead. Default 120 000. */
  readonly silenceMs?: number;
  /** The same for a server that sends none: longer than it lets a watch live. Default 660 000. */
  readonly quietServerMs?: number;
}

export interface ReflectorContext extends Required<ReflectorInput> {
  /** Where the watch goes on, opaque; null when only a list can tell. */
  readonly version: string | null;
  /** Failures since the server was last heard on a watch. */
  readonly attempt: number;
  /** The version has expired since anything was heard. */
  readonly expired: boolean;
  /** The last failure was that no connection came about; what failed that way counts no more once one does. */
  readonly unreachable: boolean;
  readonly lastError: string | null;
}

/** What the watch has brought about, as past facts. */
export type ReflectorEvent =
  /** An event or bookmark is in the store; the watch goes on after `version`. */
  | { readonly type: 'stream.heard'; readonly version: string }
  /** The server ended the stream. `early`: at once and without a word. */
  | { readonly type: 'stream.ended'; readonly early: boolean }
  /** The version has left the server's history (410). */
  | { readonly type: 'stream.expired' }
  /** Nothing came for as long as `silenceMs` and `quietServerMs` say. */
  | { readonly type: 'stream.silent' }
  | ({ readonly type: 'stream.failed' } & Failure)
  /** The server has taken the watch; nothing has come yet. */
  | { readonly type: 'stream.opened' }
  /** Somebody wishes an end to the wait for a server that could not be reached. */
  | { readonly type: 'retry' }
  /** Another user has acquired the informer: whatever it waits after, it tries again at once. */
  | { readonly type: 'wanted' };

export interface Failure {
  readonly message: string;
  /** No connection came about. */
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
 * Keeps a store equal to the server's collection: a list, then a watch from its version for as long as that can be
 * resumed.
 *
 *     listing → watching ⇄ backingOff
 *                  ↓ 410      ↓ (no version)
 *               relisting ←───┘
 *
 * - The server's end of a watch is ordinary: it is resumed at once. One that ends at once and without a word is a failure.
 * - 410 means that deletions may have been missed: the version is forgotten and the collection listed again. The first
 *   time at once; when nothing was heard in between, after a wait, so that a server that answers every watch with 410
 *   is not listed in a loop.
 * - Versions are passed on, never compared.
 * - A watch that is silent for too long is given up and resumed: its connection may be half-open.
 * - Where no connection came about, the wait may be cut short, and the waits begin anew with the first that does: a server
 *   that was away for long is not to be waited for as long once it is back.
 */
const counted = ({ attempt, unreachable }: ReflectorContext): number => (unreachable ? 0 : attempt);

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
    /** Opens a watch, applies what comes to the store and says so; and says when it has been silent for too long. */
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
