import { faultKinds } from '../chaos/world/fault-kinds.ts';
import { duration, integer, list, oneOf, text, toggle } from './flags.ts';
import { vocabularyFlag } from './vocabulary-flag.ts';

const subjectFlags = {
  module: text(
    '',
    'file of an ES module that exports controllers, invariants, kinds or workload of your own, used besides the built-in ones',
  ),
  format: oneOf(['text', 'json'], 'text', 'how the result is printed: text or json'),
};

export const chaosRunFlags = {
  ...subjectFlags,
  vocabulary: vocabularyFlag,
  controllers: list(
    ['*'],
    'controllers to run, as the controller manager takes them; * stands for those of bootstrap tokens too',
  ),
  seeds: integer(100, 'how many seeds are run, from --seed on', { min: 1, max: 10_000_000 }),
  seed: integer(0, 'run this seed alone; with --seeds the first of them', { min: 0, max: 2 ** 40 }),
  within: duration('0s', 'start no further seed after this time; 0s for no limit'),
  faults: list(
    ['*'],
    `faults that may strike: ${faultKinds.map(({ name }) => name).join(', ')}; * for all but api-clock-forward, and but those of Redis without --queue bullmq`,
  ),
  queue: oneOf(
    ['in-process', 'bullmq'],
    'in-process',
    'where the keys are: in-process, or bullmq for two managers that share them over a Redis, which faults strike too; four controllers a seed then',
  ),
  budget: integer(5, 'faults that strike in one run at most', { min: 0, max: 1_000 }),
  lasts: duration('1h', 'virtual time of a run; in its last third, for 20 minutes at least, nothing fails'),
  hours: integer(0, 'the same in hours; 0 for --lasts', { min: 0, max: 10_000 }),
  workload: text('', 'file with what users do, a JSON array of actions; default one made for each seed'),
  workers: integer(0, 'threads; 0 for one of each processor', { min: 0, max: 256 }),
  'accept-vacuous': toggle(false, 'exit with 0 for VACUOUS too: for runs too few to reach every invariant'),
  'verify-determinism': toggle(false, 'run each seed twice; both must go the same way, step by step'),
  traces: text('', 'folder that the traces of seeds that do not pass are written to'),
  report: text(
    '',
    'file that the report is written to: JSON where its name ends in .json, else one HTML page',
  ),
};

export const chaosReplayFlags = {
  ...subjectFlags,
  shrink: toggle(
    false,
    'look for the shortest run that breaks the same invariant, and write it beside the trace',
  ),
  within: duration('30s', 'how long --shrink looks for something shorter; 0s until there is nothing shorter'),
  out: text(
    '',
    'file that the shrunk trace is written to; default the name of the trace with .min before its ending',
  ),
};
