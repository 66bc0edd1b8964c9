import { initialTransition, transition } from 'xstate';
import { describe, expect, it } from 'vitest';
import { leaderElectionMachine } from './leader-election.ts';
import { moveOn, termAfter } from './lease-record.ts';

type Snapshot = ReturnType<typeof initialTransition<typeof leaderElectionMachine>>[0];
type Step = { readonly type: string; readonly [field: string]: unknown };

const answered = (name: 'acquire' | 'renew', state: string, held: boolean, tookMs = 0): Step => ({
  type: `xstate.done.actor.0.leaderElection.${state}`,
  output: { held, tookMs },
  actorId: name,
});
const acquired = answered('acquire', 'following.trying', true);
const refused = answered('acquire', 'following.trying', false);
const unanswered: Step = { type: 'xstate.after.answerTimeout.leaderElection.following.trying' };
const unreachable: Step = {
  type: 'xstate.error.actor.0.leaderElection.following.trying',
  error: new Error('no route'),
};
const waited: Step = { type: 'xstate.after.nextTry.leaderElection.following.waiting' };
const held: Step = { type: 'xstate.after.retryPeriod.leaderElection.leading.holding' };
const renewed = answered('renew', 'leading.renewing', true);
const lost = answered('renew', 'leading.renewing', false);
const notRenewed: Step = {
  type: 'xstate.error.actor.0.leaderElection.leading.renewing',
  error: new Error('no route'),
};
const deadline: Step = { type: 'xstate.after.renewDeadline.leaderElection.leading' };
const stop: Step = { type: 'stop' };
const released: Step = { type: 'xstate.done.actor.0.leaderElection.releasing', output: undefined };
const releaseFailed: Step = { type: 'xstate.error.actor.0.leaderElection.releasing', error: new Error('no') };
const releaseTooSlow: Step = { type: 'xstate.after.retryPeriod.leaderElection.releasing' };

const begin = (): Snapshot => initialTransition(leaderElectionMachine, {})[0];
const step = (snapshot: Snapshot, event: Step): Snapshot =>
  transition(leaderElectionMachine, snapshot, event as never)[0];
const after = (...events: readonly Step[]): Snapshot => events.reduce(step, begin());

describe('leader election', () => {
  const trying = { following: 'trying' };
  const waiting = { following: 'waiting' };
  const holding = { leading: 'holding' };
  const renewing = { leading: 'renewing' };
  const table: readonly (readonly [string, readonly Step[], unknown])[] = [
    ['begins with a try', [], trying],
    ['leads when it holds the lease', [acquired], holding],
    ['waits when another holds it', [refused], waiting],
    ['waits when the server cannot be asked', [unreachable], waiting],
    ['waits when the server does not answer', [unanswered], waiting],
    ['tries again after the pause', [refused, waited], trying],
    ['renews after the pause', [acquired, held], renewing],
    ['goes on when it has renewed', [acquired, held, renewed], holding],
    ['goes on for now when it could not renew', [acquired, held, notRenewed], holding],
    ['renews again after that', [acquired, held, notRenewed, held], renewing],
    ['follows when the lease is another’s', [acquired, held, lost], waiting],
    ['follows at the deadline, holding', [acquired, held, notRenewed, deadline], waiting],
    ['follows at the deadline, renewing', [acquired, held, deadline], waiting],
    ['stops at once while it follows', [refused, stop], 'stopped'],
    ['stops at once while it tries', [stop], 'stopped'],
    ['gives the lease back before it stops', [acquired, stop], 'releasing'],
    ['gives it back while it renews', [acquired, held, stop], 'releasing'],
    ['stops when it is given back', [acquired, stop, released], 'stopped'],
    ['stops when it cannot be given back', [acquired, stop, releaseFailed], 'stopped'],
    ['stops when that takes too long', [acquired, stop, releaseTooSlow], 'stopped'],
  ];
  it.each(table)('%s', (_, events, state) => {
    expect(after(...events).value).toEqual(state);
  });

  it('counts the deadline from the request that renewed, not from its answer', () => {
    expect(after(answered('acquire', 'following.trying', true, 3_000)).context.leftMs).toBe(7_000);
    expect(after(acquired, held, answered('renew', 'leading.renewing', true, 1_500)).context.leftMs).toBe(
      8_500,
    );
  });

  it('waits for no longer than the lease of another may last', () => {
    const left = (endsMs: number): Step => ({ ...refused, output: { held: false, tookMs: 0, endsMs } });
    expect(after(left(700)).context.waitMs).toBe(700);
    expect(after(left(9_000)).context.waitMs).toBe(2_000);
    expect(after(left(1e-11)).context.waitMs).toBe(1);
    expect(after(left(700), waited, unreachable).context.waitMs).toBe(2_000);
  });

  it('context is plain JSON in every state', () => {
    for (const [, events] of table) {
      const { context } = after(...events);
      expect(JSON.parse(JSON.stringify(context))).toEqual(context);
    }
  });
});

describe('lease record', () => {
  const me = { identity: 'me', leaseDurationMs: 15_000 };
  it.each([
    ['my own is renewed', { holder: 'me', transitions: 3, durationMs: 15_000 }, 0, 'renew', 3],
    ['one that nobody holds is taken', { holder: '', transitions: 3, durationMs: 1_000 }, 0, 'take', 4],
    ['another’s is left to it', { holder: 'you', transitions: 3, durationMs: 15_000 }, 14_999, 'leave', 3],
    [
      'one that was not renewed is taken',
      { holder: 'you', transitions: 3, durationMs: 15_000 },
      15_000,
      'take',
      4,
    ],
    ['a longer one is waited for', { holder: 'you', transitions: 3, durationMs: 60_000 }, 59_999, 'leave', 3],
    ['one for years is waited for', { holder: 'you', transitions: 3, durationMs: 1e12 }, 299_999, 'leave', 3],
    ['but not for years', { holder: 'you', transitions: 3, durationMs: 1e12 }, 300_000, 'take', 4],
    [
      'the last term is followed by the first',
      { holder: '', transitions: 2 ** 31 - 1, durationMs: 0 },
      0,
      'take',
      0,
    ],
    ['a shorter one gets my time', { holder: 'you', transitions: 3, durationMs: 1_000 }, 14_999, 'leave', 3],
  ] as const)('%s', (_, record, unchangedMs, move, term) => {
    expect(moveOn(record, me, unchangedMs)).toBe(move);
    expect(termAfter(record, move)).toBe(term);
  });
});
