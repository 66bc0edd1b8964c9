import { describe, expect, it } from 'vitest';
import { configMaps, namespaces } from '../../api/groups/core-v1.ts';
import { type Step, judge } from './history.fixture.ts';
import { all, histories, optional, optionalHistories } from './histories/every.fixture.ts';
import { drops, makes, named, turns } from './histories/objects.fixture.ts';
import { type Invariant, resourceOf } from './invariant.ts';

const HOUR = 3_600_000;
/** Times of the quiescent world in milliseconds: at once, after all recounts and after all lifetimes. */
const REST_MS = [0, HOUR, 1_000 * HOUR];

const invariants = [...all, ...optional];
const steps = [...histories, ...optionalHistories].flatMap(([, breaks, keeps]) => [...breaks, ...keeps]);

const isReached = (invariant: Invariant, history: readonly Step[]): boolean =>
  REST_MS.some((restMs) => judge(invariant, history, restMs).reached);

/** Creation, change and deletion of a user's object that no controller handles. */
const userOnly = [
  makes('user', configMaps, named('plain', { data: { a: '1' } })),
  turns('user', configMaps, named('plain', { data: { a: '1' } }), named('plain', { data: { a: '2' } })),
  drops('user', configMaps, named('plain', { data: { a: '2' } })),
];

/** Invariants about all objects of all writers. */
const OF_ANY_OBJECT = [
  'generic/no-write-after-restart',
  'apiserver/versions-grow',
  'apiserver/no-reused-uid',
  'lifecycles/allowed-transition',
];

/**
 * Resources that invariants read only in quiescent worlds, by controller. The `resources` of the invariants
 * do not list them.
 */
const READ_AT_REST: Readonly<Record<string, readonly string[]>> = {
  'root-ca-cert-publisher': [resourceOf(namespaces)],
  serviceaccount: [resourceOf(namespaces)],
};

/** True if a step involves neither the invariant's controller nor its resources. */
const isForeign = ({ controller, resources = [] }: Invariant, step: Step): boolean =>
  'type' in step ||
  ('event' in step
    ? step.event !== 'started' && step.event.controller !== controller
    : step.actor !== controller &&
      ![...resources, ...(READ_AT_REST[controller] ?? [])].includes(resourceOf(step.kind)));

describe('the premise of an invariant', () => {
  it('is not reached in an empty history', () => {
    expect(invariants.filter((each) => isReached(each, [])).map(({ id }) => id)).toEqual([]);
  });

  it('is not reached by an object of a user, unless the invariant is about any object', () => {
    const reached = invariants.filter((each) => isReached(each, userOnly)).map(({ id }) => id);
    expect(reached).toEqual(OF_ANY_OBJECT);
  });

  it('is not reached by histories without its controller and resources', () => {
    const limited = invariants.filter(({ controller, resources }) => controller !== '*' && resources);
    expect(limited.length).toBeGreaterThan(70);
    const reached = limited.filter((each) => {
      const foreign = steps.filter((step) => isForeign(each, step));
      expect(foreign.length).toBeGreaterThan(50);
      return isReached(each, foreign);
    });
    expect(reached.map(({ id }) => id)).toEqual([]);
  });
});
