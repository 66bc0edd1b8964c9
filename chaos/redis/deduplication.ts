import {
  type Deduplication,
  type JobOptions,
  type JobQueue,
  deduplicationKey,
  nextKey,
  optionsText,
  putDelayed,
} from './job-queue.ts';

/** A job that is being added and may turn out to be a duplicate. */
export interface NewJob {
  readonly id: string;
  readonly name: string;
  readonly data: string;
  readonly options: JobOptions;
  readonly timestamp: number;
}

/**
 * Returns the id of the existing job of which the new job is a duplicate. Otherwise the new job takes the
 * deduplication key.
 */
export function duplicateOf(queue: JobQueue, job: NewJob): string | undefined {
  const { de } = job.options;
  if (de?.id === undefined || de.id === '') return undefined;
  if (de.replace === true) return replaceOrKeep(queue, job, de, de.id);
  const existing = keepFirst(queue, job, de, de.id);
  if (
    existing !== undefined &&
    de.reschedule === true &&
    queue.space.score(queue.delayed, existing) !== undefined
  ) {
    const delay = Number(job.options.delay ?? 0);
    queue.space.setFields(queue.base + existing, 'delay', delay);
    putDelayed(queue, existing, job.timestamp, delay);
  }
  return existing;
}

function replaceOrKeep(queue: JobQueue, job: NewJob, de: Deduplication, id: string): string | undefined {
  const { space, base } = queue;
  const key = deduplicationKey(queue, id);
  const existing = space.get(key);
  if (existing === undefined) {
    give(queue, key, job.id, de);
    return undefined;
  }
  if (space.removeMembers(queue.delayed, existing) > 0) {
    space.delete(base + existing);
    space.delete(nextKey(queue, id));
    const keepsExpiry = de.keepLastIfActive !== true && de.extend !== true && hasTtl(de);
    if (keepsExpiry) space.setAndKeepExpiry(key, job.id);
    else give(queue, key, job.id, de);
    return undefined;
  }
  if (takesOver(queue, job, de, id)) return undefined;
  keepForLater(queue, job, de, id, existing);
  return existing;
}

function keepFirst(queue: JobQueue, job: NewJob, de: Deduplication, id: string): string | undefined {
  const key = deduplicationKey(queue, id);
  const existing = queue.space.get(key);
  if (existing === undefined) {
    give(queue, key, job.id, de);
    return undefined;
  }
  if (takesOver(queue, job, de, id)) return undefined;
  if (keepForLater(queue, job, de, id, existing)) return existing;
  if (hasTtl(de) && de.extend === true) give(queue, key, existing, de);
  return existing;
}

const hasTtl = (de: Deduplication): boolean => (de.ttl ?? 0) > 0;

/** Sets the deduplication key. The key has no expiry if it must live as long as its job. */
function give({ space }: JobQueue, key: string, jobId: string, de: Deduplication): void {
  if (de.keepLastIfActive !== true && hasTtl(de)) space.set(key, jobId, de.ttl);
  else space.set(key, jobId);
}

/**
 * Takes over a deduplication key without expiry whose job no longer exists. An outage can leave such a key
 * behind.
 */
function takesOver(queue: JobQueue, job: NewJob, de: Deduplication, id: string): boolean {
  const { space, base } = queue;
  const key = deduplicationKey(queue, id);
  const existing = space.get(key);
  if (existing === undefined || space.leftMs(key) !== -1 || space.exists(base + existing)) return false;
  space.delete(nextKey(queue, id));
  give(queue, key, job.id, de);
  return true;
}

/**
 * Stores the newest job that is added while the existing job is active, to be added when the existing one
 * ends.
 */
function keepForLater(
  queue: JobQueue,
  job: NewJob,
  de: Deduplication,
  id: string,
  existing: string,
): boolean {
  const { space, active } = queue;
  if (de.keepLastIfActive !== true || space.indexOf(active, existing) === undefined) return false;
  const next = nextKey(queue, id);
  space.delete(next);
  const options = optionsText(job.options);
  space.setFields(next, 'name', job.name, 'data', job.data, 'opts', options, 'jid', job.id);
  space.persist(deduplicationKey(queue, id));
  return true;
}

/** Releases the deduplication key of a job that has ended. */
export function releaseEnded(queue: JobQueue, id: string, jobId: string): void {
  const key = deduplicationKey(queue, id);
  const leftMs = queue.space.leftMs(key);
  if (leftMs === 0 || (leftMs === -1 && queue.space.get(key) === jobId)) queue.space.delete(key);
}

/** Releases the deduplication key of a removed job and drops the job stored by `keepForLater`. */
export function releaseRemoved(queue: JobQueue, id: string | undefined, jobId: string): void {
  if (id === undefined || queue.space.get(deduplicationKey(queue, id)) !== jobId) return;
  queue.space.delete(deduplicationKey(queue, id));
  queue.space.delete(nextKey(queue, id));
}

/** Takes the job that `keepForLater` stored, and sets its deduplication key. */
export function takeNext(queue: JobQueue, id: string, timestamp: number): NewJob | undefined {
  const { space } = queue;
  const kept = space.hash(nextKey(queue, id));
  const options = kept.get('opts');
  if (options === undefined) return undefined;
  const counted = String(space.increment(queue.id));
  const next: NewJob = {
    id: kept.get('jid') ?? counted,
    name: kept.get('name') ?? '',
    data: kept.get('data') ?? '',
    options: JSON.parse(options) as JobOptions,
    timestamp,
  };
  give(queue, deduplicationKey(queue, id), next.id, next.options.de ?? {});
  space.delete(nextKey(queue, id));
  return next;
}
