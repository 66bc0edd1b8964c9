import { faultKinds, usualFaults } from '../../chaos/explore/index.ts';
import { duration, integer, list, text, toggle } from '../flags/flags.ts';

const MAX_STATES = 20_000_000;

const report = text(
  '',
  'file for the result: JUnit if its name ends in .xml, SARIF for .sarif, otherwise JSON',
);

export const chaosExploreFlags = {
  report,
  module: text(
    '',
    'ES module that exports controllers to explore, their invariants, kinds, and a scenario or workload',
  ),
  objects: integer(2, 'objects of the workload', { min: 1, max: 3 }),
  faults: integer(2, 'largest number of faults on one path', { min: 0, max: 5 }),
  'fault-kinds': list(usualFaults, `kinds of faults: ${faultKinds.join(', ')}`),
  lag: integer(1, 'largest number of events that an informer may lag behind', { min: 0, max: 5 }),
  leaders: integer(1, 'processes that run the controller concurrently', { min: 1, max: 3 }),
  'max-states': integer(
    MAX_STATES,
    'states after which a search is aborted and walks forget visited states',
    {
      min: 1,
      max: 100_000_000,
    },
  ),
  'max-seconds': integer(600, 'seconds after which the search is aborted', { min: 1, max: 86_400 }),
  mutant: text('', 'mutant of the controller to explore, by its name in "chaos mutants"'),
  conditions: toggle(
    false,
    'let the server check write conditions (ConditionalWrites), which other servers do not',
  ),
  apart: toggle(true, 'explore unrelated objects separately'),
  postpone: toggle(
    true,
    'postpone steps whose order does not matter, which proves the same with fewer states',
  ),
  walks: integer(0, 'number of random walks instead of a search of every state; 0 for a search', {
    min: 0,
    max: 1_000_000_000,
  }),
  'walk-steps': integer(40, 'largest number of steps of a walk', { min: 1, max: 10_000 }),
  seed: integer(0, 'seed of the random walks', { min: 0, max: 2 ** 32 - 1 }),
  estimate: toggle(true, 'run smaller searches first to estimate the size of this one'),
};

/**
 * Flag that limits a search by states instead of time, so that the result does not depend on the speed of the
 * machine.
 */
const maxStates = integer(400_000, 'states after which one search is aborted', { min: 1, max: 100_000_000 });

export const chaosMutantsFlags = {
  report,
  patterns: toggle(false, 'run only the mutants that rebuild the 46 bugs of the Sieve study, bug by bug'),
  controllers: list(['*'], 'controllers whose mutants are searched; * for all that can be explored'),
  'max-states': maxStates,
  source: toggle(
    false,
    'mutate the sources of the checkout in the working directory instead, one place at a time, and run unit tests, explorer and seeds against each mutant; --report writes JSON, which a later run continues, and a Markdown page next to it',
  ),
  files: text('**', 'with --source, files to mutate: * matches within one folder, ** any number of folders'),
  operators: list(['*'], 'with --source, kinds of mistakes; * for all'),
  sample: integer(300, 'with --source, number of mutants, drawn with --seed; 0 for all', {
    min: 0,
    max: 60_000,
  }),
  seed: integer(0, 'with --source, seed of the sample', { min: 0, max: 2 ** 32 - 1 }),
  seeds: integer(64, 'with --source, number of simulated seeds, of which a mutant runs those that reach it', {
    min: 1,
    max: 100_000,
  }),
  budget: duration('10s', 'with --source, time limit of a mutant in unit tests, and again under chaos'),
  workers: integer(0, 'with --source, number of threads; 0 for one per processor', { min: 0, max: 256 }),
  'chaos-only': toggle(false, 'with --source, do not run unit tests'),
};

export const chaosCoverageFlags = {
  controllers: list(['*'], 'controllers whose workloads are explored; * for all that can be explored'),
  objects: integer(1, 'objects of each workload', { min: 1, max: 3 }),
  faults: integer(1, 'largest number of faults on one path', { min: 0, max: 5 }),
  'max-states': maxStates,
};

export const chaosMuseumFlags = {
  'max-states': maxStates,
};
