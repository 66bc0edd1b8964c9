import { parentPort, workerData } from 'node:worker_threads';
import { orchVocabulary } from '../../api/vocabulary/index.ts';
import { createSystemClock } from '../../base/clock/index.ts';
import { mutantNamed } from '../mutants/catalogue.ts';
import { heapUsed } from './heap-used.ts';
import { exploreNth } from './explore-controller.ts';
import type { FromGroupWorker, GroupTask } from './group-threads.ts';
import { subjectOf } from './scenarios/index.ts';
import type { Visits } from './visits.ts';

// Explores one group of a workload and sends the result to the parent thread.
Error.stackTraceLimit = 0;
const { workload, objects, mutant, nth, ...bounds } = workerData as GroupTask;
const post = (message: FromGroupWorker): void => parentPort?.postMessage(message);

const subject = subjectOf(workload, orchVocabulary, objects);
if (!subject) throw new Error(`there is no workload ${workload}`);
const { definition, scenario } = subject;
const { result, footprint } = await exploreNth(
  {
    definition: mutantNamed(definition, mutant)?.mutate(definition) ?? definition,
    scenario,
    ...bounds,
    clock: createSystemClock(),
    memoryUsed: heapUsed,
    onProgress: (progress) => post({ progress }),
  },
  nth,
);
const { states, transitions, asking, strikes }: Visits = result.visits;
post({ search: { result: { ...result, visits: { states, transitions, asking, strikes } }, footprint } });
