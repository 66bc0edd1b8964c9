import { describe, expect, it } from 'vitest';
import { createMachine } from 'xstate';
import type { JournalEntry, JournalEvent } from '../../runtime/journal/entry.ts';
import { type InspectorEvent, createInspectorFeed } from './inspector.ts';

const START = Date.UTC(2026, 0, 1);

const machine = createMachine({
  id: 'c',
  initial: 'observing',
  states: {
    observing: {
      on: {
        'xstate.done.actor.observe': {
          target: 'working',
          guard: function isNew() {
            return true;
          },
        },
      },
    },
    working: {
      type: 'parallel',
      states: {
        stream: { initial: 'open', states: { open: {} } },
        silence: { initial: 'waiting', states: { waiting: {} } },
        heard: {},
      },
    },
    signing: { initial: 'loading', states: { loading: {} } },
    settled: { type: 'final' },
  },
});

/** Returns the events that an inspector receives for a journal of one reconcile. */
function inspected(events: readonly Partial<JournalEvent>[], known = true): readonly InspectorEvent[] {
  const feed = createInspectorFeed(() => (known ? machine : undefined));
  return events
    .map((event, at): JournalEntry => ({
      kind: 'state',
      controller: 'c',
      key: 'team/a',
      reconcileId: 'c-1',
      ...event,
      seq: at + 1,
      atMs: START + at,
    }))
    .flatMap(feed);
}

const valueOf = (state: string, known = true): unknown =>
  inspected([{ state }], known).findLast(({ type }) => type === '@xstate.snapshot')?.['snapshot'];

describe('createInspectorFeed', () => {
  it('represents a reconcile as an actor, with the fields that @statelyai/inspect sends', () => {
    const events = inspected([
      { kind: 'reconcile.started', retries: 0 },
      { state: 'observing', event: 'xstate.init' },
      { kind: 'effect.started', state: 'observe' },
      { state: 'settled', event: 'xstate.done.actor.observe' },
      { kind: 'reconcile.finished', outcome: 'settled', ms: 3 },
    ]);
    const by = { sessionId: 'c-1', rootId: 'c-1', _version: '0.7.2' };
    expect(events).toMatchObject([
      {
        ...by,
        type: '@xstate.actor',
        id: '1',
        name: 'c team/a',
        createdAt: String(START),
        snapshot: { status: 'active' },
      },
      { ...by, type: '@xstate.event', event: { type: 'xstate.init' } },
      { ...by, type: '@xstate.snapshot', snapshot: { status: 'active', value: 'observing', context: {} } },
      { ...by, type: '@xstate.event', event: { type: 'xstate.done.actor.observe' } },
      { ...by, type: '@xstate.snapshot', snapshot: { status: 'active', value: 'settled' } },
      {
        ...by,
        type: '@xstate.snapshot',
        snapshot: { status: 'done', value: 'settled', output: { outcome: 'settled' } },
      },
    ]);
  });

  it('has the definition of the machine, with functions replaced by their names', () => {
    const [actor] = inspected([{ kind: 'reconcile.started' }]);
    const definition: unknown = JSON.parse(String(actor?.['definition']));
    expect(definition).toMatchObject({
      id: 'c',
      initial: 'observing',
      states: { settled: { type: 'final' } },
    });
    expect(actor?.['definition']).toContain('{"type":"isNew"}');
  });

  it('sends the actor of a reconcile whose first entry is missing', () => {
    const types = inspected([{ state: 'settled' }, { kind: 'reconcile.finished', outcome: 'settled' }]).map(
      ({ type }) => type,
    );
    expect(types).toEqual(['@xstate.actor', '@xstate.event', '@xstate.snapshot', '@xstate.snapshot']);
  });

  it.each([
    ['observing', 'observing'],
    ['signing.loading', { signing: 'loading' }],
    [
      'working.stream.open,silence.waiting,heard',
      { working: { stream: 'open', silence: 'waiting', heard: {} } },
    ],
  ])('converts the state %s to a state value of XState', (state, value) => {
    expect(valueOf(state)).toMatchObject({ value });
  });

  it('splits states at their dots if the machine is unknown', () => {
    expect(valueOf('signing.loading', false)).toMatchObject({ value: { signing: 'loading' } });
  });
});
