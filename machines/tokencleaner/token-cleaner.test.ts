import { describe, expect, it } from 'vitest';
import { getShortestPaths } from 'xstate/graph';
import { initialTransition, transition, type AnyEventObject } from 'xstate';
import { isPassOutput } from '../pass/pass.ts';
import { tokenCleanerMachine, type ObservedToken } from './token-cleaner.ts';

const input = { key: 'orch-system/bootstrap-token-abcdef', retries: 0 };

const found = (expiresInMs: number | null): ObservedToken => ({
  found: true,
  uid: 'u',
  resourceVersion: '7',
  expiresInMs,
});
const observed = (output: ObservedToken) => ({ type: 'xstate.done.actor.observe', output });
const deleted = (output: 'deleted' | 'changed') => ({ type: 'xstate.done.actor.deleteToken', output });
const refused = (actor: string, message: string) => ({
  type: `xstate.error.actor.${actor}`,
  error: new Error(message),
});
const late = (state: string) => ({ type: `xstate.after.effectTimeout.tokencleaner.${state}` });

/** The state after the events, and the output where it is final. */
function after(...events: readonly AnyEventObject[]) {
  let [snapshot] = initialTransition(tokenCleanerMachine, input);
  // The alphabet of a machine's internal events is not in its types.
  for (const event of events) [snapshot] = transition(tokenCleanerMachine, snapshot, event as never);
  return { state: snapshot.value, output: snapshot.output };
}

describe('token cleaner machine', () => {
  it('observes first', () => {
    expect(after().state).toBe('observing');
  });

  it.each([
    ['settles when there is no such token', [observed({ found: false })], { outcome: 'settled' }],
    ['settles for a token that never expires', [observed(found(null))], { outcome: 'settled' }],
    [
      'looks again exactly at the expiry',
      [observed(found(1_234))],
      { outcome: 'requeue', afterMs: 1_234, reason: 'token has not expired' },
    ],
    [
      'settles once an expired token is deleted',
      [observed(found(-5)), deleted('deleted')],
      { outcome: 'settled' },
    ],
    [
      'looks again soon when the token changed under the deletion',
      [observed(found(-5)), deleted('changed')],
      { outcome: 'requeue', afterMs: 1_000, reason: 'token changed before it was deleted' },
    ],
    [
      'fails when the deletion is refused',
      [observed(found(-5)), refused('deleteToken', 'forbidden')],
      { outcome: 'failed', error: 'forbidden' },
    ],
    [
      'fails when the deletion takes too long',
      [observed(found(-5)), late('deleting')],
      { outcome: 'failed', error: 'timed out in state deleting' },
    ],
    ['fails when it cannot observe', [refused('observe', 'broken')], { outcome: 'failed', error: 'broken' }],
    [
      'fails when observing takes too long',
      [late('observing')],
      { outcome: 'failed', error: 'timed out in state observing' },
    ],
  ] as const)('%s', (_what, events, output) => {
    expect(after(...events).output).toEqual(output);
  });

  it('deletes a token at the very millisecond of its expiry', () => {
    expect(after(observed(found(0))).state).toBe('deleting');
  });

  it('ends every path of events in a final state with a pass output, and holds plain JSON on the way', () => {
    const events = [
      observed({ found: false }),
      ...[null, 0, 1].map((expiresInMs) => observed(found(expiresInMs))),
      deleted('deleted'),
      deleted('changed'),
      ...['observe', 'deleteToken'].map((actor) => refused(actor, 'no')),
      ...['observing', 'deleting'].map(late),
    ];
    const paths = getShortestPaths(tokenCleanerMachine, { input, events: events as never });
    const reached = new Set(paths.map(({ state }) => state.value));
    expect([...reached].sort()).toEqual(['deleting', 'failed', 'observing', 'requeue', 'settled']);
    for (const { state } of paths) {
      expect(JSON.parse(JSON.stringify(state.context))).toStrictEqual(state.context);
      if (state.status === 'done') expect(isPassOutput(state.output)).toBe(true);
      else expect(events.some((event) => state.can(event as never))).toBe(true);
    }
  });
});
