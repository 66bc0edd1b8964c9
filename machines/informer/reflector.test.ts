import { initialTransition, transition } from 'xstate';
import { describe, expect, it } from 'vitest';
import { CodedError } from '../../base/errors/coded.ts';
import { type ReflectorEvent, reflectorMachine } from './reflector.ts';

type Snapshot = ReturnType<typeof initialTransition<typeof reflectorMachine>>[0];
type Step = ReflectorEvent | { readonly type: string; readonly [field: string]: unknown };

const listed = (version: string): Step => ({ type: 'xstate.done.actor.list', output: { version } });
const listFailed: Step = { type: 'xstate.error.actor.list', error: new Error('no route') };
const listTimeout: Step = { type: 'xstate.after.listTimeout.reflector.listing' };
const received = (version: string): ReflectorEvent => ({ type: 'stream.heard', version });
const ended = (early = false): ReflectorEvent => ({ type: 'stream.ended', early });
const expired: ReflectorEvent = { type: 'stream.expired' };
const silent: ReflectorEvent = { type: 'stream.silent' };
const failed: ReflectorEvent = { type: 'stream.failed', message: 'reset', unreachable: false };
const unreachable: ReflectorEvent = { type: 'stream.failed', message: 'no connection', unreachable: true };
const listUnreachable: Step = {
  type: 'xstate.error.actor.list',
  error: new CodedError('ERR_UNREACHABLE', 'no connection'),
};
const opened: ReflectorEvent = { type: 'stream.opened' };
const retry: ReflectorEvent = { type: 'retry' };
const backoff: Step = { type: 'xstate.after.backoff.reflector.backingOff' };

const step = (snapshot: Snapshot, event: Step): Snapshot =>
  transition(reflectorMachine, snapshot, event as ReflectorEvent)[0];

const run = (...events: readonly Step[]) => {
  const last = events.reduce(step, initialTransition(reflectorMachine, {})[0]);
  const { version, attempt, lastError } = last.context;
  return { state: last.value, version, attempt, lastError };
};

describe('reflectorMachine', () => {
  const table: readonly (readonly [string, readonly Step[], object])[] = [
    ['begins with a list', [], { state: 'listing', version: null }],
    ['watches from the version of its list', [listed('5')], { state: 'watching', version: '5' }],
    [
      'backs off after a failed list',
      [listFailed],
      { state: 'backingOff', attempt: 1, lastError: 'no route' },
    ],
    ['backs off after a list that timed out', [listTimeout], { state: 'backingOff', attempt: 1 }],
    ['re-lists after the backoff if it has no version', [listFailed, backoff], { state: 'relisting' }],
    [
      'keeps the version of the last event',
      [listed('5'), received('7')],
      { state: 'watching', version: '7' },
    ],
    [
      'resumes at once if the server ends the watch',
      [listed('5'), received('7'), ended()],
      { state: 'watching', version: '7' },
    ],
    [
      'backs off if a watch ends at once without an event',
      [listed('5'), ended(true)],
      { state: 'backingOff', version: '5' },
    ],
    [
      'resumes from the last version after a failure',
      [listed('5'), received('7'), failed, backoff],
      { state: 'watching', version: '7', attempt: 1 },
    ],
    [
      'lists at once if the version expired',
      [listed('5'), received('7'), expired],
      { state: 'relisting', version: null },
    ],
    [
      'lists at once after an expiry, whatever the number of earlier failures',
      [listed('5'), failed, backoff, failed, backoff, expired],
      { state: 'relisting', version: null },
    ],
    [
      'backs off before the next list if the new version expires too',
      [listed('5'), expired, listed('6'), expired],
      { state: 'backingOff', version: null, attempt: 2 },
    ],
    [
      'lists after that backoff',
      [listed('5'), expired, listed('6'), expired, backoff],
      { state: 'relisting', version: null },
    ],
    [
      'counts failures until the watch delivers an event',
      [listed('5'), failed, backoff, failed, backoff, received('6')],
      { attempt: 0, lastError: null },
    ],
    [
      'does not treat a list as proof of a working watch',
      [listed('5'), failed, backoff, expired, listed('6'), failed],
      { attempt: 3 },
    ],
    [
      'abandons a silent watch and keeps its version',
      [listed('5'), received('6'), silent],
      { state: 'backingOff', version: '6', attempt: 1, lastError: 'the watch was silent for too long' },
    ],
    [
      'resumes the watch on retry if no connection was established',
      [listed('5'), unreachable, retry],
      { state: 'watching', version: '5', attempt: 1 },
    ],
    [
      'lists on retry if no connection was established for the list',
      [listUnreachable, retry],
      { state: 'relisting' },
    ],
    ['ignores a retry after any other failure', [listed('5'), failed, retry], { state: 'backingOff' }],
    [
      'restarts the failure count once a connection is established, even if the watch then fails',
      [listed('5'), unreachable, backoff, unreachable, backoff, failed],
      { state: 'backingOff', attempt: 1 },
    ],
    [
      'restarts the count once an unreachable server accepts the watch',
      [listed('5'), unreachable, backoff, unreachable, backoff, opened],
      { state: 'watching', attempt: 0 },
    ],
    [
      'continues the count if the server accepts and cuts every watch',
      [listed('5'), failed, backoff, opened, failed],
      { attempt: 2 },
    ],
    [
      'restarts the count once an unreachable server returns a list',
      [listUnreachable, backoff, listUnreachable, backoff, listed('9'), failed],
      { attempt: 1 },
    ],
    [
      'ignores events of a watch it abandoned',
      [listed('5'), failed, received('9')],
      { state: 'backingOff', version: '5' },
    ],
  ];
  it.each(table)('%s', (_, events, expected) => {
    expect(run(...events)).toMatchObject(expected);
  });

  it('has a context of plain JSON in every state', () => {
    let snapshot = initialTransition(reflectorMachine, {})[0];
    for (const event of [listed('5'), received('6'), failed, backoff, expired, listFailed]) {
      snapshot = step(snapshot, event);
      expect(JSON.parse(JSON.stringify(snapshot.context))).toEqual(snapshot.context);
    }
  });

  it('doubles the delay after each failure up to the maximum delay', () => {
    let snapshot = initialTransition(reflectorMachine, { baseBackoffMs: 100, maxBackoffMs: 500 })[0];
    const waits: unknown[] = [];
    for (let i = 0; i < 5; i++) {
      const [next, actions] = transition(reflectorMachine, snapshot, listFailed as never);
      waits.push(
        actions.flatMap((action) =>
          action.type === 'xstate.raise' ? [(action.params as { delay?: number }).delay] : [],
        )[0],
      );
      snapshot = step(next, backoff);
    }
    expect(waits).toEqual([100, 200, 400, 500, 500]);
  });
});
