import { describe, expect, it } from 'vitest';
import { getShortestPaths } from 'xstate/graph';
import { initialTransition, transition, type AnyEventObject } from 'xstate';
import { isReconcileOutput } from '../reconcile/reconcile.ts';
import { type ObservedLifetime, createExpiryMachine } from './expiry.ts';

const machine = createExpiryMachine({ id: 'thing', until: 'its end' });
const input = { key: 'team/thing', retries: 0 };

const found = (leftMs: number | null): ObservedLifetime => ({ uid: 'u', resourceVersion: '7', leftMs });
const observed = (output: ObservedLifetime | null) => ({ type: 'xstate.done.actor.observe', output });
const confirmed = (output: ObservedLifetime | null) => ({ type: 'xstate.done.actor.confirm', output });
const deleted = (output: 'deleted' | 'changed') => ({ type: 'xstate.done.actor.deleteObject', output });
const refused = (actor: string, message: string) => ({
  type: `xstate.error.actor.${actor}`,
  error: new Error(message),
});
const late = (state: string) => ({ type: `xstate.after.effectTimeout.thing.${state}` });
const waiting = (afterMs: number) => ({ outcome: 'requeue', afterMs, reason: 'its end' });
const settled = { outcome: 'settled' };

/** Returns the state after the events, and the output if the state is final. */
function after(...events: readonly AnyEventObject[]) {
  let [snapshot] = initialTransition(machine, input);
  // The casts are needed because the type of a machine does not list its internal events.
  for (const event of events) [snapshot] = transition(machine, snapshot, event as never);
  return { state: snapshot.value, output: snapshot.output };
}

describe('createExpiryMachine', () => {
  it('starts with an observation', () => {
    expect(after().state).toBe('observing');
  });

  it.each([
    ['settles if the object does not exist', [observed(null)], settled],
    ['settles if the object never expires', [observed(found(null))], settled],
    ['requeues at the exact expiry', [observed(found(1_234))], waiting(1_234)],
    ['settles if the object no longer exists in the API', [observed(found(-5)), confirmed(null)], settled],
    [
      'settles if the object never expires according to the API',
      [observed(found(-5)), confirmed(found(null))],
      settled,
    ],
    [
      'waits by the time of the API server and not by the local clock',
      [observed(found(-99_000)), confirmed(found(1_000))],
      waiting(1_000),
    ],
    [
      'settles once the expired object is deleted',
      [observed(found(-5)), confirmed(found(-5)), deleted('deleted')],
      settled,
    ],
    [
      'requeues soon if the object changed before the deletion',
      [observed(found(-5)), confirmed(found(-5)), deleted('changed')],
      { outcome: 'requeue', afterMs: 1_000, reason: 'changed before it was deleted' },
    ],
    [
      'fails if the deletion is refused',
      [observed(found(-5)), confirmed(found(-5)), refused('deleteObject', 'forbidden')],
      { outcome: 'failed', error: 'forbidden' },
    ],
    [
      'fails if the confirming read fails',
      [observed(found(-5)), refused('confirm', 'broken')],
      { outcome: 'failed', error: 'broken' },
    ],
    [
      'fails if the confirming read times out',
      [observed(found(-5)), late('confirming')],
      { outcome: 'failed', error: 'timed out in state confirming' },
    ],
    [
      'fails if the observation fails',
      [refused('observe', 'broken')],
      { outcome: 'failed', error: 'broken' },
    ],
  ] as const)('%s', (_what, events, output) => {
    expect(after(...events).output).toEqual(output);
  });

  it('deletes in the exact millisecond of the expiry', () => {
    expect(after(observed(found(0)), confirmed(found(0))).state).toBe('deleting');
  });

  it('ends every event path in a final state with a valid output and keeps its context plain JSON', () => {
    const events = [
      ...[null, found(null), found(0), found(1)].flatMap((seen) => [observed(seen), confirmed(seen)]),
      deleted('deleted'),
      deleted('changed'),
      ...['observe', 'confirm', 'deleteObject'].map((actor) => refused(actor, 'no')),
      ...['observing', 'confirming', 'deleting'].map(late),
    ];
    const paths = getShortestPaths(machine, { input, events: events as never });
    const reached = new Set(paths.map(({ state }) => state.value));
    expect([...reached].sort()).toEqual([
      'confirming',
      'deleting',
      'failed',
      'observing',
      'requeue',
      'settled',
    ]);
    for (const { state } of paths) {
      expect(JSON.parse(JSON.stringify(state.context))).toStrictEqual(state.context);
      if (state.status === 'done') expect(isReconcileOutput(state.output)).toBe(true);
      else expect(events.some((event) => state.can(event as never))).toBe(true);
    }
  });
});
