import {
  type Deduplication,
  type JobOptions,
  type JobQueue,
  deduplicationKey,
  nextKey,
  optionsText,
  putDelayed,
} from './job-queue.ts';

/** A job that is being added, before it is known whether it is. */
export interface NewJob {
  readonly id: string;
  readonly name: string;
  readonly data: string;
  readonly options: JobOptions;
  readonly timestamp: number;
}

/** Gives the job that stands for the new one, where there is one; else the new job has the key from now on. */
export function standsFor(queue: JobQueue, job: NewJob): string | undefined {
  const { de } = job.options;
  if (de?.id === undefined || de.id === '') return undefined;
  if (de.replace === true) return replaceOrKeep(queue, job, de, de.id);
  const standing = keepFirst(queue, job, de, de.id);
  if (
    standing !== undefined &&
    de.reschedule === true &&
    queue.space.score(queue.delayed, standing) !== undefined
  ) {
    const delay = Number(job.options.delay ?? 0);
    queue.space.setFields(queue.base + standing, 'delay', delay);
    putDelayed(queue, standing, job.timestamp, delay);
  }
  return standing;
}

function replaceOrKeep(queue: JobQueue, job: NewJob, de: Deduplication, id: string): string | undefined {
  const { space, base } = queue;
  const key = deduplicationKey(queue, id);
  const standing = space.get(key);
  if (standing === undefined) {
    give(queue, key, job.id, de);
    return undefined;
  }
  if (space.removeMembers(queue.delayed, standing) > 0) {
    space.delete(base + standing);
    space.delete(nextKey(queue, id));
    const keepsExpiry = de.keepLastIfActive !== true && de.extend !== true && hasTtl(de);
    if (keepsExpiry) space.setAndKeepExpiry(key, job.id);
    else give(queue, key, job.id, de);
    return undefined;
  }
  if (takesOver(queue, job, de, id)) return undefined;
  keepForLater(queue, job, de, id, standing);
  return standing;
}

function keepFirst(queue: JobQueue, job: NewJob, de: Deduplication, id: string): string | undefined {
  const key = deduplicationKey(queue, id);
  const standing = queue.space.get(key);
  if (standing === undefined) {
    give(queue, key, job.id, de);
    return undefined;
  }
  if (takesOver(queue, job, de, id)) return undefined;
  if (keepForLater(queue, job, de, id, standing)) return standing;
  if (hasTtl(de) && de.extend === true) give(queue, key, standing, de);
  return standing;
}

const hasTtl = (de: Deduplication): boolean => (de.ttl ?? 0) > 0;

/** A key whose job is kept until it ends must not end before it. */
function give({ space }: JobQueue, key: string, jobId: string, de: Deduplication): void {
  if (de.keepLastIfActive !== true && hasTtl(de)) space.set(key, jobId, de.ttl);
  else space.set(key, jobId);
}

/** A key that does not expire and whose job is gone was left behind by an outage. */
function takesOver(queue: JobQueue, job: NewJob, de: Deduplication, id: string): boolean {
  const { space, base } = queue;
  const key = deduplicationKey(queue, id);
  const standing = space.get(key);
  if (standing === undefined || space.leftMs(key) !== -1 || space.exists(base + standing)) return false;
  space.delete(nextKey(queue, id));
  give(queue, key, job.id, de);
  return true;
}

/** Remembers the newest of the jobs that were added while theirs is active. */
function keepForLater(
  queue: JobQueue,
  job: NewJob,
  de: Deduplication,
  id: string,
  standing: string,
): boolean {
  const { space, active } = queue;
  if (de.keepLastIfActive !== true || space.indexOf(active, standing) === undefined) return false;
  const next = nextKey(queue, id);
  space.delete(next);
  const options = optionsText(job.options);
  space.setFields(next, 'name', job.name, 'data', job.data, 'opts', options, 'jid', job.id);
  space.persist(deduplicationKey(queue, id));
  return true;
}

/** A job has ended: it stands for no other any more. */
export function releaseEnded(queue: JobQueue, id: string, jobId: string): void {
  const key = deduplicationKey(queue, id);
  const leftMs = queue.space.leftMs(key);
  if (leftMs === 0 || (leftMs === -1 && queue.space.get(key) === jobId)) queue.space.delete(key);
}

/** A job was removed: it stands for no other any more, and what was to come after it is dropped. */
export function releaseRemoved(queue: JobQueue, id: string | undefined, jobId: string): void {
  if (id === undefined || queue.space.get(deduplicationKey(queue, id)) !== jobId) return;
  queue.space.delete(deduplicationKey(queue, id));
  queue.space.delete(nextKey(queue, id));
}

/** Takes what `keepForLater` has remembered, with a key of its own from now on. */
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
