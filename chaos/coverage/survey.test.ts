import { createMachine } from 'xstate';
import { describe, expect, it } from 'vitest';
import { orchVocabulary } from '../../api/vocabulary/index.ts';
import type { Commit } from '../invariants/invariant.ts';
import { offJournal } from '../../runtime/index.ts';
import { isTransition, machinePartsOf } from './machine-parts.ts';
import { type Observed, createObserver, readTraits } from './observe.ts';
import { createSurveySum, holesOf } from './survey.ts';

const machine = createMachine({
  id: 'job',
  initial: 'observing',
  states: {
    observing: {
      invoke: { id: 'observe', src: 'observe', onDone: 'deciding', onError: 'failed' },
      after: { effectTimeout: 'failed' },
    },
    deciding: { always: [{ guard: 'isDone', target: 'settled' }, { target: 'acting.creating' }] },
    acting: { initial: 'creating', states: { creating: {} }, on: { stop: 'settled' } },
    settled: { type: 'final' },
    failed: { type: 'final' },
  },
});

const observed: Observed = {
  states: { 'job observing': 3, 'job deciding': 2 },
  transitions: {
    'job observing xstate.done.actor.observe deciding': 2,
    'job acting.creating stop settled': 1,
  },
  requests: {
    'job acting.creating create pods -': 4,
    'job acting.creating delete pods named': 2,
    'controller-manager - watch pods -': 1,
  },
  strikes: { 'lost-response job acting.creating create pods': 1 },
  moves: { 'job Running Failed job': 2, 'job absent Pending cronjob': 3, 'job Failed deleted user': 1 },
};

describe('the parts of a machine', () => {
  it('are its innermost states and the transitions between different states', () => {
    const { states, transitions } = machinePartsOf('job', machine);
    expect(states).toEqual(['observing', 'deciding', 'acting.creating', 'settled', 'failed']);
    expect(transitions.map(({ from, on, to }) => `${from} ${on} ${to}`)).toEqual([
      'observing done(observe) deciding',
      'observing error(observe) failed',
      'observing after effectTimeout failed',
      'deciding always settled',
      'deciding always acting.creating',
      'acting stop settled',
    ]);
  });

  it('include steps that leave or enter a substate', () => {
    const parts = { from: 'acting', to: 'settled', event: 'stop', on: 'stop' };
    expect(isTransition(parts, { from: 'acting.creating', to: 'settled', event: 'stop' })).toBe(true);
    expect(isTransition(parts, { from: 'acting2', to: 'settled', event: 'stop' })).toBe(false);
    expect(isTransition(parts, { from: 'acting', to: 'settled', event: 'other' })).toBe(false);
  });
});

describe('an observer', () => {
  it('distinguishes reconciliations of two processes with the same number', () => {
    const observer = createObserver(orchVocabulary);
    const first = observer.journalOf({}, offJournal);
    const second = observer.journalOf({}, offJournal);
    const entered = {
      kind: 'state',
      controller: 'job',
      key: 'a',
      reconcileId: 'job-1',
      event: 'go',
    } as const;
    first.record({ ...entered, state: 'observing' });
    second.record({ ...entered, state: 'observing' });
    second.record({ ...entered, state: 'deciding' });
    first.record({ ...entered, state: 'failed' });
    expect(observer.observed()).toMatchObject({
      states: { 'job observing': 2, 'job deciding': 1, 'job failed': 1 },
      transitions: { 'job observing go deciding': 1, 'job observing go failed': 1 },
    });
  });

  it('records the request traits that decide which faults are possible', () => {
    const observer = createObserver(orchVocabulary);
    const traits = { verb: 'list', named: false, paged: true, continued: true };
    const sent = { process: {} as never, actor: 'job', verb: 'list', target: 'pods', caller: undefined };
    observer.onRequest({ ...sent, traits, fault: 'conflict' });
    const { requests, strikes } = observer.observed();
    expect(Object.keys(requests)).toEqual(['job - list pods paged+continued']);
    expect(Object.keys(strikes)).toEqual(['conflict job - list pods']);
    expect(readTraits('list', 'paged+continued')).toEqual(traits);
  });
});

describe('an observer of commits', () => {
  it('counts the moves of objects by lifecycle and actor, and no write that leaves the state', () => {
    const observer = createObserver(orchVocabulary);
    const pod = (phase: string) => ({ metadata: { uid: phase }, status: { phase } });
    const commit = (before: object | undefined, after: object | undefined): Commit =>
      ({ resource: '/pods', actor: 'user', atMs: 0, before, after }) as unknown as Commit;
    observer.onCommit(commit(undefined, pod('Pending')));
    observer.onCommit(commit(pod('Pending'), pod('Pending')));
    observer.onCommit(commit(pod('Pending'), pod('Running')));
    observer.onCommit(commit(pod('Running'), undefined));
    expect(observer.observed().moves).toEqual({
      'pod absent Unscheduled user': 1,
      'deletion absent Live user': 1,
      'pod Unscheduled Running user': 1,
      'pod Running deleted user': 1,
      'deletion Live deleted user': 1,
    });
  });
});

describe('a survey', () => {
  const sum = createSurveySum();
  sum.add(7, { ...observed, states: { ...observed.states, 'job settled': 1 } }, []);
  sum.add(5, observed, ['late-events controller-manager pods ADDED']);
  const survey = sum.survey(
    [machinePartsOf('job', machine)],
    ['lost-response', 'conflict', 'late-events', 'cut-watch'],
  );

  it('counts states and transitions over all seeds and includes uncovered ones', () => {
    const [job] = survey.controllers;
    expect(job?.states).toEqual([
      { state: 'observing', seen: 6 },
      { state: 'deciding', seen: 4 },
      { state: 'acting.creating', seen: 0 },
      { state: 'settled', seen: 1 },
      { state: 'failed', seen: 0 },
    ]);
    expect(job?.transitions.find(({ on }) => on === 'stop')?.seen).toBe(2);
    expect(job?.transitions.find(({ from }) => from === 'deciding')?.seen).toBe(0);
  });

  it('leaves out failures of effects that send no request', () => {
    const [job] = survey.controllers;
    expect(job?.transitions.filter(({ seen }) => seen === null).map(({ on }) => on)).toEqual([
      'error(observe)',
      'after effectTimeout',
    ]);
  });

  it('counts the transitions of lifecycles, and none that only the clock takes', () => {
    const seenIn = (id: string) =>
      survey.lifecycles
        .find(({ lifecycle }) => lifecycle === id)
        ?.transitions.map(({ from, to, seen }) => [from, to, seen]);
    expect(seenIn('job')).toEqual(
      expect.arrayContaining([
        ['absent', 'Pending', 6],
        ['Pending, Running, Suspended', 'Failed', 4],
        ['Pending, Running, Suspended', 'Complete', 0],
        ['any', 'deleted', 2],
      ]),
    );
    expect(seenIn('lease')).toContainEqual(['Held', 'Expired', null]);
  });

  it('derives the possible faults of a state from its requests and names the gaps', () => {
    expect(survey.faultsByState).toEqual({
      columns: ['lost-response', 'conflict'],
      rows: [{ name: 'job acting.creating', cells: [2, 0] }],
    });
    expect(holesOf(survey.faultsByState)).toEqual(['conflict × job acting.creating']);
  });

  it('counts faults by verb and resource, and by watched resource', () => {
    expect(survey.faultsByRequest.rows).toEqual([
      { name: 'create pods', cells: [2, null] },
      { name: 'delete pods', cells: [0, 0] },
    ]);
    expect(survey.faultsByWatch.rows).toEqual([{ name: 'pods', cells: [1, 0] }]);
  });

  it('returns the number of new observations by seed, in the order of seeds', () => {
    expect(survey.curve.map(({ seeds }) => seeds)).toEqual([1, 2]);
    expect((survey.curve[1]?.seen ?? 0) - (survey.curve[0]?.seen ?? 0)).toBe(1);
  });
});
