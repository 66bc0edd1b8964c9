import type { Finding } from './rule.ts';
import { keyOf, keyOfObject } from './keys.ts';
import type { WireEntry, WireHistory, WireRequest, WireVersion } from './wire-history.ts';

/** Line of a story: one action of one party. */
export interface WireStoryLine {
  readonly seq: number;
  readonly atMs: number;
  readonly lane: 'fault' | 'user' | 'API server' | 'controller';
  readonly text: string;
  /** True if the line shows the violation. */
  readonly isEvidence: boolean;
}

/** Maximum number of lines of a story. The last lines before the violation are included. */
const MOST_LINES = 40;

/**
 * Returns the lines that led to a finding: changes of its objects, states of these objects that the client
 * received, and the faults, crashes and user actions in between.
 */
export function storyOf({ entries, versions }: WireHistory, finding: Finding): readonly WireStoryLine[] {
  const evidence = new Set(finding.evidence);
  const keys = keysOf(entries, versions, finding);
  const isEnd = finding.evidence.length === 1;
  const untilSeq = isEnd ? Infinity : Math.max(...finding.evidence);
  const acted = isEnd ? new Set(entries.flatMap((entry) => (entry.type === 'user' ? entry.keys : []))) : keys;
  const lines = [
    ...entries.flatMap((entry) => linesOf(entry, keys, evidence)),
    ...versions
      .filter(({ resource, object }) => [keys, acted].some((each) => each.has(keyOfObject(resource, object))))
      .map((version): WireStoryLine => lineOfVersion(version, evidence.has(version.seq))),
  ].sort((a, b) => a.seq - b.seq);
  return lines.filter(({ seq }) => seq <= untilSeq).slice(-MOST_LINES);
}

/** Returns the keys of the objects of a finding and of its evidence. */
function keysOf(
  entries: readonly WireEntry[],
  versions: readonly WireVersion[],
  finding: Finding,
): ReadonlySet<string> {
  const evidence = new Set(finding.evidence);
  return new Set([
    finding.key,
    ...versions.flatMap(({ seq, resource, object }) =>
      evidence.has(seq) ? keyOfObject(resource, object) : [],
    ),
    ...entries.flatMap((entry) =>
      entry.type === 'request' && evidence.has(entry.seq) && entry.name !== ''
        ? keyOf(entry.resource, entry.namespace, entry.name)
        : [],
    ),
  ]);
}

function linesOf(
  entry: WireEntry,
  keys: ReadonlySet<string>,
  evidence: ReadonlySet<number>,
): readonly WireStoryLine[] {
  const { seq, atMs } = entry;
  const line = (lane: WireStoryLine['lane'], text: string, at = seq): WireStoryLine => ({
    seq: at,
    atMs,
    lane,
    text,
    isEvidence: evidence.has(at),
  });
  switch (entry.type) {
    case 'user':
      return [line('user', entry.text)];
    case 'fault':
      return [line('fault', entry.text)];
    case 'process':
      return [
        line(
          entry.change === 'killed' || entry.change === 'paused' ? 'fault' : 'controller',
          `process ${entry.run} ${entry.change} ${entry.detail}`,
        ),
      ];
    case 'event': {
      const key = keyOfObject(entry.resource, entry.object);
      return keys.has(key)
        ? [line('controller', `receives ${entry.event} ${key}, ${versionOf(entry.object.metadata)}`)]
        : [];
    }
    case 'request':
      return linesOfRequest(entry, keys, line);
  }
}

function linesOfRequest(
  request: WireRequest,
  keys: ReadonlySet<string>,
  line: (lane: WireStoryLine['lane'], text: string, at?: number) => WireStoryLine,
): readonly WireStoryLine[] {
  const { verb, resource, namespace, name, fault, carried, delivered, deliveredSeq, seq } = request;
  const isRead = ['list', 'get', 'watch'].includes(verb);
  const isAbout = [...keys].some((key) => key.startsWith(`${resource} `));
  if (fault === undefined && (isRead || !isConcerned(request, keys))) return [];
  if (fault !== undefined && !isAbout && isRead) return [];
  const what = `${verb} ${keyOf(resource, namespace, name)}`;
  const result = carried === undefined ? 'is not carried out' : `returns ${carried.status}`;
  const lost =
    delivered === undefined && carried !== undefined && verb !== 'watch'
      ? ', which the client does not receive'
      : '';
  return [
    line('controller', what),
    ...(fault === undefined
      ? []
      : [line('fault', `${fault}: ${what} ${result}${lost}`, deliveredSeq ?? seq)]),
  ];
}

function isConcerned(
  { resource, namespace, name, carried }: WireRequest,
  keys: ReadonlySet<string>,
): boolean {
  if (name !== '') return keys.has(keyOf(resource, namespace, name));
  const body = carried?.body as { readonly metadata?: { readonly name?: string } } | undefined;
  return keys.has(keyOf(resource, namespace, body?.metadata?.name ?? ''));
}

function lineOfVersion(version: WireVersion, isEvidence: boolean): WireStoryLine {
  const { resource, object, deleted, seq, atMs } = version;
  const mark = object.metadata.deletionTimestamp === undefined || deleted ? '' : ', being deleted';
  const text = `${deleted ? 'removes' : 'stores'} ${keyOfObject(resource, object)}, ${versionOf(object.metadata)}${mark}`;
  return { seq, atMs, lane: 'API server', text, isEvidence };
}

const versionOf = ({
  resourceVersion = '',
  uid = '',
}: {
  readonly resourceVersion?: string;
  readonly uid?: string;
}): string => `version ${resourceVersion}, uid ${uid.slice(0, 8)}`;
