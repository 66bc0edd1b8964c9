import { CodedError } from '../../base/errors/index.ts';
import type { JournalEntry } from './entry.ts';
import { isRecord } from '../../base/collections/index.ts';

/**
 * Content of a journal file: lines of JSON, first a header and then the entries, oldest first. The
 * dashboard's export and the chaos recorder write such files.
 */
export interface JournalFile {
  /** Charts of the machines by controller; empty if the writer had no charts. */
  readonly charts: { readonly [controller: string]: unknown };
  readonly entries: readonly JournalEntry[];
}

const KIND = 'Journal';
const VERSION = 2;

/**
 * Earlier version, with `passId` and `pass.*` instead of `reconcileId` and `reconcile.*`. Such files can
 * still be read.
 */
const FIRST_VERSION = 1;

/** Code of a file that is not a journal. */
export type JournalFileErrorCode = 'ERR_JOURNAL_FILE';

const invalid = (message: string): CodedError<JournalFileErrorCode> =>
  new CodedError('ERR_JOURNAL_FILE', message);

/** Returns the lines of a journal file, without line ends. */
export function* journalLines({ charts, entries }: JournalFile): Generator<string> {
  yield JSON.stringify({ kind: KIND, version: VERSION, charts });
  for (const entry of entries) yield JSON.stringify(entry);
}

/**
 * Parses a journal file. A truncated last line is ignored, because the writer may have been killed. Throws
 * `ERR_JOURNAL_FILE` for any other invalid line.
 */
export function readJournalFile(text: string): JournalFile {
  const lines = text.split('\n');
  const cut = lines.pop() ?? '';
  const [head, ...entries] = (isJson(cut) ? [...lines, cut] : lines).map(parsed);
  if (!isRecord(head) || head['kind'] !== KIND)
    throw invalid(`not a journal: the first line must be an object of kind ${KIND}`);
  const { version } = head;
  if (version !== VERSION && version !== FIRST_VERSION)
    throw invalid(
      `journal of version ${JSON.stringify(version)}: expected version ${FIRST_VERSION} or ${VERSION}`,
    );
  const current = version === VERSION ? entries : entries.map(ofFirstVersion);
  return {
    charts: isRecord(head['charts']) ? head['charts'] : {},
    entries: current.map(entryOf),
  };
}

function parsed(line: string, at: number): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw invalid(`line ${at + 1} of the journal is not valid JSON`);
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Converts an entry of version 1 to the names of the current version. */
function ofFirstVersion(entry: unknown): unknown {
  if (!isRecord(entry)) return entry;
  const { passId, kind, ...rest } = entry;
  return {
    ...rest,
    kind: typeof kind === 'string' ? kind.replace(/^pass\./, 'reconcile.') : kind,
    ...(passId === undefined ? {} : { reconcileId: passId }),
  };
}

function entryOf(value: unknown, at: number): JournalEntry {
  if (isEntry(value)) return value;
  throw invalid(
    `line ${at + 2} of the journal is not an entry: expected seq, atMs, kind, controller and key`,
  );
}

const isEntry = (value: unknown): value is JournalEntry =>
  isRecord(value) &&
  typeof value['seq'] === 'number' &&
  typeof value['atMs'] === 'number' &&
  ['kind', 'controller', 'key'].every((field) => typeof value[field] === 'string');
