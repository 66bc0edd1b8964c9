import { faultKinds, usualFaults } from '../chaos/explore/faults.ts';
import { integer, list, text, toggle } from './flags.ts';

const MAX_STATES = 20_000_000;

const report = text(
  '',
  'file that the result is written to: JUnit where its name ends in .xml, SARIF where in .sarif, else JSON',
);

export const chaosExploreFlags = {
  report,
  objects: integer(2, 'objects of the workload', { min: 1, max: 3 }),
  faults: integer(2, 'faults that strike on one way at most', { min: 0, max: 5 }),
  'fault-kinds': list(usualFaults, `which: ${faultKinds.join(', ')}`),
  lag: integer(1, 'events that an informer may be behind', { min: 0, max: 5 }),
  leaders: integer(1, 'processes that run the controller at the same time', { min: 1, max: 3 }),
  'max-states': integer(
    MAX_STATES,
    'states after which the search is given up, and walks forget where they were',
    {
      min: 1,
      max: 100_000_000,
    },
  ),
  'max-seconds': integer(600, 'seconds after which the search is given up', { min: 1, max: 86_400 }),
  mutant: text('', 'explore this mutant of the controller, as "chaos mutants" names it'),
  conditions: toggle(false, 'the server checks conditions of writes (ConditionalWrites), as others do not'),
  apart: toggle(true, 'look at objects that have nothing to do with each other one by one'),
  postpone: toggle(true, 'leave for later what may as well happen later: the same is shown in fewer states'),
  walks: integer(0, 'walk by chance this often instead of looking at every state; 0 for every state', {
    min: 0,
    max: 1_000_000_000,
  }),
  'walk-steps': integer(40, 'steps of a walk at most', { min: 1, max: 10_000 }),
  seed: integer(0, 'walks are drawn from', { min: 0, max: 2 ** 32 - 1 }),
  estimate: toggle(true, 'run the smaller searches first, to tell ahead what this one takes'),
};

/**
 * Bounds a search by states and not by time, so that the result does not depend on the speed of the machine.
 */
const maxStates = integer(400_000, 'states after which one search is given up', { min: 1, max: 100_000_000 });

export const chaosMutantsFlags = {
  report,
  patterns: toggle(false, 'only the mutants that the 46 bugs of the Sieve study were rebuilt as, bug by bug'),
  controllers: list(['*'], 'controllers whose mutants are looked for; * for all that can be explored'),
  'max-states': maxStates,
};

export const chaosCoverageFlags = {
  controllers: list(['*'], 'controllers whose workloads are explored; * for all that can be explored'),
  objects: integer(1, 'objects of each workload', { min: 1, max: 3 }),
  faults: integer(1, 'faults that strike on one way at most', { min: 0, max: 5 }),
  'max-states': maxStates,
};

export const chaosMuseumFlags = {
  'max-states': maxStates,
};
