import type { Failure } from './judge.ts';
import type { StoryLine } from './story-line.ts';

/**
 * Maximum number of lines of a sliced story. Faults and the violating change are shown even beyond it, because
 * the failure needs them.
 */
const MOST_LINES = 12;

/** Objects that a violation is about. */
export interface Concerned {
  /** True if the line is about one of the objects. */
  includes(line: StoryLine): boolean;
  /** True if a text mentions one of the objects. */
  isMentionedIn(text: string): boolean;
}

/** Returns the words of a text that may be names or keys of objects. */
const wordsIn = (text: string): ReadonlySet<string> =>
  new Set(text.split(/[^\w./-]+/).flatMap((word) => [word, word.replace(/[./]+$/, '')]));

const nameIn = (key: string): string => key.slice(key.lastIndexOf('/') + 1);

/** Shortest name that is recognized in a text; shorter ones are also words. */
const SHORTEST_NAME = 3;

/**
 * Returns the objects that a violation is about: that of the violating change, those that the violation
 * mentions, and their owners. Without any, every object is.
 */
export function concernedBy(lines: readonly StoryLine[], failure: Failure): Concerned {
  const objects = lines.flatMap(({ object }) => (object ? [object] : []));
  const words = wordsIn(failure.broken);
  const byKey = objects.filter(({ key }) => words.has(key));
  const byName = objects.filter(({ key }) => nameIn(key).length >= SHORTEST_NAME && words.has(nameIn(key)));
  const named = byKey.length > 0 ? byKey : byName;
  const uids = new Set(named.map(({ uid }) => uid));
  if (failure.commit !== undefined) uids.add(failure.commit.uid);
  for (const { uid, owners } of objects) if (uids.has(uid)) for (const owner of owners) uids.add(owner);
  const keys = new Set(objects.flatMap(({ uid, key }) => (uids.has(uid) ? [key] : [])));
  const isMentionedIn = (text: string): boolean => {
    const mentioned = wordsIn(text);
    return [...keys].some((key) => mentioned.has(key) || (!key.includes('/') && mentioned.has(nameIn(key))));
  };
  return {
    includes: (line) =>
      uids.size === 0 || (line.object ? uids.has(line.object.uid) : isMentionedIn(line.text)),
    isMentionedIn,
  };
}

/**
 * Returns the lines that explain a violation, at most `MOST_LINES` where possible.
 *
 * These are all faults, the changes of the objects that the violation is about, and the reconciles that failed
 * or led to it. A reconcile takes one line, and so do repeated changes. The journal of a shrunk trace has
 * everything.
 */
export function sliceOf(
  lines: readonly StoryLine[],
  failure: Failure | undefined,
): { readonly lines: readonly StoryLine[]; readonly omitted: number } {
  if (failure === undefined) return { lines, omitted: 0 };
  const concerned = concernedBy(lines, failure);
  const about = lines.filter(
    (line) => line.lane === 'fault' || (line.lane !== 'queue' && concerned.includes(line)),
  );
  const joined = withoutRepetitions(withNeededReconciles(about, failure), failure);
  return shortened(joined, failure);
}

// --- reconciles

/** True if a line shows the change that violates the invariant. */
const isViolation = ({ object, by, revision }: StoryLine, { commit }: Failure): boolean =>
  commit !== undefined &&
  object?.uid === commit.uid &&
  by === commit.actor &&
  revision === commit.after?.metadata?.resourceVersion;

/**
 * Joins the lines of each reconcile and drops those that explain nothing.
 *
 * Keeps failed reconciles, and the latest one of the violating controller in each process. If that controller
 * is not known, keeps the latest one of all.
 */
function withNeededReconciles(lines: readonly StoryLine[], failure: Failure): readonly StoryLine[] {
  const reconciles = new Map<string, StoryLine>();
  for (const line of lines) {
    const { reconcile } = line.course ?? {};
    if (line.course === undefined || reconcile === undefined) continue;
    const known = reconciles.get(reconcile);
    reconciles.set(reconcile, known ? { ...known, text: `${known.text} → ${line.course.said}` } : line);
  }
  const needed = new Set(lines.flatMap(({ course }) => (course?.hasFailed ? [course.reconcile] : [])));
  const last = new Map<string, { readonly lane: string; readonly reconcile: string }>();
  for (const { lane, process = '', course } of lines)
    if (course) last.set(`${process} ${lane}`, { lane, reconcile: course.reconcile });
  const culprit = failure.commit?.actor ?? failure.id.slice(0, failure.id.indexOf('/'));
  const latest = [...last.values()];
  const isKnown = latest.some(({ lane }) => lane === culprit);
  for (const { lane, reconcile } of latest) if (!isKnown || lane === culprit) needed.add(reconcile);
  const shown = new Set<string>();
  return lines.flatMap((line) => {
    const { reconcile } = line.course ?? {};
    if (reconcile === undefined) return [line];
    if (!needed.has(reconcile) || shown.has(reconcile)) return [];
    shown.add(reconcile);
    return [reconciles.get(reconcile) ?? line];
  });
}

// --- repetitions

/** Joins consecutive changes of one object by one author, and consecutive failures of one reconcile key. */
function withoutRepetitions(lines: readonly StoryLine[], failure: Failure): readonly StoryLine[] {
  const joined: { line: StoryLine; times: number }[] = [];
  for (const line of lines) {
    const last = joined.at(-1);
    if (last && !isViolation(last.line, failure) && isRepetition(last.line, line))
      joined[joined.length - 1] = { line, times: last.times + 1 };
    else joined.push({ line, times: 1 });
  }
  return joined.map(({ line, times }) =>
    times === 1 ? line : { ...line, text: `${line.text}, the last of ${times} times` },
  );
}

const isRepetition = (one: StoryLine, other: StoryLine): boolean =>
  one.lane !== 'fault' &&
  one.lane === other.lane &&
  one.process === other.process &&
  (one.object !== undefined && other.object !== undefined
    ? one.by === other.by && one.object.change === other.object.change && one.object.uid === other.object.uid
    : one.object === other.object && one.text === other.text);

// --- the limit

/** Importance of lines that may be omitted; the violating change and faults never are. */
function importanceOf(line: StoryLine, failure: Failure): number {
  if (line.lane === 'fault' || isViolation(line, failure)) return Infinity;
  const { object, by, course } = line;
  if (course !== undefined) return course.hasFailed ? 1 : 2;
  if (by === 'user') return 4;
  return object?.change.startsWith('create') === true || object?.change.startsWith('delete') === true ? 3 : 1;
}

/** Omits the least important lines, the earlier ones first, until few enough are left. */
function shortened(
  lines: readonly StoryLine[],
  failure: Failure,
): { readonly lines: readonly StoryLine[]; readonly omitted: number } {
  const ranked = lines
    .map((line, at) => ({ at, importance: importanceOf(line, failure) }))
    .toSorted((a, b) => a.importance - b.importance || a.at - b.at)
    .filter(({ importance }) => importance < Infinity);
  const omitted = new Set(ranked.slice(0, Math.max(0, lines.length - MOST_LINES)).map(({ at }) => at));
  return { lines: lines.filter((_, at) => !omitted.has(at)), omitted: omitted.size };
}
