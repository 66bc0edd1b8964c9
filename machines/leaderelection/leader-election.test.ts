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

describe('leaderElectionMachine', () => {
  const trying = { following: 'trying' };
  const waiting = { following: 'waiting' };
  const holding = { leading: 'holding' };
  const renewing = { leading: 'renewing' };
  const table: readonly (readonly [string, readonly Step[], unknown])[] = [
    ['starts with an attempt to acquire', [], trying],
    ['leads once it holds the lease', [acquired], holding],
    ['waits while another candidate holds the lease', [refused], waiting],
    ['waits if the server is unreachable', [unreachable], waiting],
    ['waits if the server does not respond', [unanswered], waiting],
    ['tries again after the retry period', [refused, waited], trying],
    ['renews after the retry period', [acquired, held], renewing],
    ['keeps leading after a renewal', [acquired, held, renewed], holding],
    ['keeps leading for now if a renewal fails', [acquired, held, notRenewed], holding],
    ['renews again after a failed renewal', [acquired, held, notRenewed, held], renewing],
    ['follows if another candidate holds the lease', [acquired, held, lost], waiting],
    ['follows at the deadline while holding', [acquired, held, notRenewed, deadline], waiting],
    ['follows at the deadline while renewing', [acquired, held, deadline], waiting],
    ['stops at once while following', [refused, stop], 'stopped'],
    ['stops at once while trying', [stop], 'stopped'],
    ['releases the lease before it stops', [acquired, stop], 'releasing'],
    ['releases the lease if stopped while renewing', [acquired, held, stop], 'releasing'],
    ['stops once the lease is released', [acquired, stop, released], 'stopped'],
    ['stops if the release fails', [acquired, stop, releaseFailed], 'stopped'],
    ['stops if the release times out', [acquired, stop, releaseTooSlow], 'stopped'],
  ];
  it.each(table)('%s', (_, events, state) => {
    expect(after(...events).value).toEqual(state);
  });

  it('counts the deadline from the renewing request instead of from its response', () => {
    expect(after(answered('acquire', 'following.trying', true, 3_000)).context.leftMs).toBe(7_000);
    expect(after(acquired, held, answered('renew', 'leading.renewing', true, 1_500)).context.leftMs).toBe(
      8_500,
    );
  });

  it('waits at most until the lease of another candidate may have ended', () => {
    const left = (endsMs: number): Step => ({ ...refused, output: { held: false, tookMs: 0, endsMs } });
    expect(after(left(700)).context.waitMs).toBe(700);
    expect(after(left(9_000)).context.waitMs).toBe(2_000);
    expect(after(left(1e-11)).context.waitMs).toBe(1);
    expect(after(left(700), waited, unreachable).context.waitMs).toBe(2_000);
  });

  it('has a context of plain JSON in every state', () => {
    for (const [, events] of table) {
      const { context } = after(...events);
      expect(JSON.parse(JSON.stringify(context))).toEqual(context);
    }
  });
});

describe('moveOn', () => {
  const me = { identity: 'me', leaseDurationMs: 15_000 };
  it.each([
    ['renews its own lease', { holder: 'me', transitions: 3, durationMs: 15_000 }, 0, 'renew', 3],
    ['takes a lease without holder', { holder: '', transitions: 3, durationMs: 1_000 }, 0, 'take', 4],
    [
      'leaves a valid lease to its holder',
      { holder: 'you', transitions: 3, durationMs: 15_000 },
      14_999,
      'leave',
      3,
    ],
    [
      'takes a lease that was not renewed',
      { holder: 'you', transitions: 3, durationMs: 15_000 },
      15_000,
      'take',
      4,
    ],
    ['waits for a longer lease', { holder: 'you', transitions: 3, durationMs: 60_000 }, 59_999, 'leave', 3],
    [
      'waits for a lease that claims years',
      { holder: 'you', transitions: 3, durationMs: 1e12 },
      299_999,
      'leave',
      3,
    ],
    [
      'takes a lease that claims years after five minutes',
      { holder: 'you', transitions: 3, durationMs: 1e12 },
      300_000,
      'take',
      4,
    ],
    [
      'wraps from the last term to the first',
      { holder: '', transitions: 2 ** 31 - 1, durationMs: 0 },
      0,
      'take',
      0,
    ],
    [
      'waits its own duration for a shorter lease',
      { holder: 'you', transitions: 3, durationMs: 1_000 },
      14_999,
      'leave',
      3,
    ],
  ] as const)('%s', (_, record, unchangedMs, move, term) => {
    expect(moveOn(record, me, unchangedMs)).toBe(move);
    expect(termAfter(record, move)).toBe(term);
  });
});
