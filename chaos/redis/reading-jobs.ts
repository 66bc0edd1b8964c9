import { type JobQueue, MISSING_KEY, type Script, isMaxed as isFull } from './job-queue.ts';
import { between } from './list.ts';

/** States that are stored as lists. The other states are sorted sets. */
const LISTS: ReadonlySet<string> = new Set(['wait', 'paused', 'active']);

const sizeOf = ({ space, base }: JobQueue, state: string): number =>
  LISTS.has(state) ? space.length(base + state) : space.sorted(base + state).size;

export const getCounts: Script = (queue, argv) => {
  const before = typeof argv[0] === 'number' ? argv[0] : undefined;
  const states = (before === undefined ? argv : argv.slice(1)) as readonly string[];
  return states.map((state) =>
    state === 'delayed' && before !== undefined
      ? queue.space.sorted(queue.delayed).within(-Infinity, before * 0x1000 - 1).length
      : sizeOf(queue, state),
  );
};

/** Returns the ids of the jobs in a state, in the requested order. */
function idsOf({ space, base }: JobQueue, state: string, isAscending: boolean): readonly string[] {
  if (LISTS.has(state)) {
    const ids = space.range(base + state);
    return isAscending ? ids.toReversed() : ids;
  }
  const members = space.sorted(base + state).members();
  return isAscending ? members : members.toReversed();
}

/** Returns ranges of job ids. A range that is read from the end of a list still has list order. */
export const getRanges: Script = (queue, argv) => {
  const [start, end, ascending, ...states] = argv as [number, number, string, ...string[]];
  return states.map((state) => {
    const ids = idsOf(queue, state, ascending === '1');
    if (!LISTS.has(state) || ascending !== '1') return between(ids, start, end);
    const from = end === -1 ? 0 : -(end + 1);
    const to = start === -1 ? 0 : -(start + 1);
    return between(ids.toReversed(), from, to);
  });
};

/** Returns jobs with their hashes. Ids without a hash are skipped and replaced by further ids. */
export const getJobs: Script = (queue, argv) => {
  const [start, end, ascending, rounds, ...states] = argv as [number, number, string, number, ...string[]];
  return states.map((state) => jobsOf(queue, idsOf(queue, state, ascending === '1'), { start, end, rounds }));
};

function jobsOf(
  { space, base }: JobQueue,
  ids: readonly string[],
  { start, end, rounds }: { start: number; end: number; rounds: number },
): unknown[] {
  const isBounded = start >= 0 && end >= 0;
  const wanted = isBounded ? end - start + 1 : Infinity;
  const looked = isBounded ? ids.slice(start, start + wanted * rounds) : between(ids, start, end);
  const jobs = [];
  for (const id of looked) {
    if (jobs.length >= wanted) break;
    const fields = [...space.hash(base + id)].flat();
    if (fields.length > 0) jobs.push([id, fields]);
  }
  return jobs;
}

export const getStateV2: Script = ({ space, base, active, wait, paused }, [id]) => {
  const jobId = String(id);
  for (const state of ['completed', 'failed', 'delayed', 'prioritized'])
    if (space.score(base + state, jobId) !== undefined) return state;
  if (space.indexOf(active, jobId) !== undefined) return 'active';
  return [wait, paused].some((list) => space.indexOf(list, jobId) !== undefined) ? 'waiting' : 'unknown';
};

export const isFinished: Script = ({ space, base }, argv) => {
  const [jobId, withValue] = argv as [string, string];
  const jobKey = base + jobId;
  const answer = (code: number, ...value: readonly unknown[]) =>
    withValue === '1' ? [code, ...value] : code;
  if (!space.exists(jobKey)) return answer(MISSING_KEY, `Missing key for job ${jobKey}. isFinished`);
  if (space.score(`${base}completed`, jobId) !== undefined)
    return answer(1, space.field(jobKey, 'returnvalue'));
  if (space.score(`${base}failed`, jobId) !== undefined)
    return answer(2, space.field(jobKey, 'failedReason'));
  return answer(0);
};

export const isMaxed: Script = (queue) => (isFull(queue) ? 1 : null);
