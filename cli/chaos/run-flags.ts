import { faultKinds } from '../../chaos/world/index.ts';
import { duration, integer, list, oneOf, text, toggle } from '../flags/flags.ts';
import { vocabularyFlag } from '../flags/vocabulary-flag.ts';

const subjectFlags = {
  module: text('', 'ES module that exports additional controllers, invariants, kinds or a workload'),
  format: oneOf(['text', 'json'], 'text', 'output format: text or json'),
};

export const chaosRunFlags = {
  ...subjectFlags,
  vocabulary: vocabularyFlag,
  controllers: list(
    ['*'],
    'controllers to run, in the syntax of the controller manager; * includes those of bootstrap tokens',
  ),
  seeds: integer(100, 'number of seeds to run, starting at --seed', { min: 1, max: 10_000_000 }),
  seed: integer(0, 'the only seed to run; with --seeds the first one', { min: 0, max: 2 ** 40 }),
  within: duration('0s', 'time after which no further seed starts; 0s for no limit'),
  faults: list(
    ['*'],
    `faults to inject: ${faultKinds.map(({ name }) => name).join(', ')}; a number of the research such as F14; * for all except api-clock-forward, and except those of Redis without --queue bullmq`,
  ),
  queue: oneOf(
    ['in-process', 'bullmq'],
    'in-process',
    'queue of the keys: in-process, or bullmq for two managers that share a Redis with its own faults, and four controllers per seed',
  ),
  budget: integer(
    8,
    'largest number of faults in one run, of reads, of writes, of events, and of the rest each',
    { min: 0, max: 1_000 },
  ),
  lasts: duration('1h', 'virtual duration of a run; its last third, at least 20 minutes, is free of faults'),
  hours: integer(0, 'virtual duration in hours; 0 to use --lasts', { min: 0, max: 10_000 }),
  'compare-every': integer(
    16,
    'one in this many seeds is also run without faults and compared; 1 for all, 0 for none; a single seed always is',
    { min: 0, max: 1_000_000 },
  ),
  workload: text('', 'file of user actions, a JSON array; default generated for each seed'),
  workers: integer(0, 'number of threads; 0 for one per processor', { min: 0, max: 256 }),
  'accept-vacuous': toggle(false, 'exit with 0 for VACUOUS too, for runs too small to reach every invariant'),
  'verify-determinism': toggle(false, 'run each seed twice and compare all steps'),
  traces: text('', 'folder for the traces of seeds that do not pass'),
  report: text('', 'file for the report: JSON if its name ends in .json, otherwise one HTML page'),
  weights: text(
    '',
    'TypeScript file for the weights by which workloads are drawn, computed from what the seeds cover; chaos/workload/weights.ts holds those in use',
  ),
};

export const chaosReplayFlags = {
  ...subjectFlags,
  shrink: toggle(
    false,
    'search for the shortest run that violates the same invariant and write it next to the trace',
  ),
  within: duration('30s', 'time limit of --shrink; 0s to continue until no shorter run is found'),
  out: text('', 'file for the shrunk trace; default the name of the trace with .min before its extension'),
};
