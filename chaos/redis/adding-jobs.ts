import { type NewJob, duplicateOf, takeNext } from './deduplication.ts';
import {
  type JobOptions,
  type JobQueue,
  type Script,
  isHeldBack,
  notServed,
  optionsText,
  putDelayed,
  putWaiting,
  rememberMaxEvents,
} from './job-queue.ts';

/** Base, custom id, name and timestamp, followed by the arguments of flows, deduplication and schedulers. */
type AddArguments = readonly [string, string, string, number, ...unknown[]];

const isGiven = (value: unknown): boolean => value !== null && value !== undefined && value !== '';

function newJob(queue: JobQueue, argv: readonly unknown[]): { job: NewJob; isThere: boolean } {
  const [args, data, options] = argv as [AddArguments, string, JobOptions];
  const [, customId, name, timestamp, parentKey, parentDependencies, parent, repeat] = args;
  if ([parentKey, parentDependencies, parent].some(isGiven)) notServed('jobs with a parent');
  if (isGiven(repeat)) notServed('jobs of a scheduler');
  const counted = String(queue.space.increment(queue.id));
  rememberMaxEvents(queue);
  const id = customId === '' ? counted : customId;
  const isThere = customId !== '' && queue.space.exists(queue.base + id);
  return { job: { id, name, data, options, timestamp }, isThere };
}

function store(queue: JobQueue, { id, name, data, options, timestamp }: NewJob): void {
  const { delay = 0, priority = 0, de } = options;
  const fields = ['name', name, 'data', data, 'opts', optionsText(options), 'timestamp', timestamp];
  queue.space.setFields(queue.base + id, ...fields, 'delay', delay, 'priority', priority);
  if (de?.id !== undefined) queue.space.setFields(queue.base + id, 'deid', de.id);
}

/** Returns a script that adds a job unless one exists with the same id or the same deduplication id. */
const adding =
  (put: (queue: JobQueue, job: NewJob) => void): Script =>
  (queue, argv) => {
    const { job, isThere } = newJob(queue, argv);
    if (isThere) return job.id;
    const existing = duplicateOf(queue, job);
    if (existing !== undefined) return existing;
    store(queue, job);
    put(queue, job);
    return job.id;
  };

function putNow(queue: JobQueue, { id, options }: NewJob, priority: number): void {
  const side = options.lifo === true ? 'right' : 'left';
  putWaiting(queue, id, { priority, side, heldBack: isHeldBack(queue) });
}

export const addStandardJob = adding((queue, job) => putNow(queue, job, 0));

export const addPrioritizedJob = adding((queue, job) => putNow(queue, job, job.options.priority ?? 0));

export const addDelayedJob = adding((queue, { id, options, timestamp }) =>
  putDelayed(queue, id, timestamp, Number(options.delay ?? 0)),
);

/** Adds the job that was stored to follow one that has now ended. */
export function addNext(queue: JobQueue, deduplicationId: string, timestamp: number): void {
  const job = takeNext(queue, deduplicationId, timestamp);
  if (job === undefined) return;
  rememberMaxEvents(queue);
  store(queue, job);
  const { delay = 0, priority = 0 } = job.options;
  if (delay === 0) putNow(queue, job, priority);
  else putDelayed(queue, job.id, timestamp, delay);
}
