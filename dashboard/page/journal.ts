import { useEffect, useState } from 'preact/hooks';
import { type JournalFile, journalLines, readJournalFile } from '../../runtime/journal/index.ts';
import type { Picture } from '../chart/layout.ts';
import { type Document, type Overview, documentAt } from '../model/documents.ts';
import type { ControllerFacts } from '../model/view.ts';
import { Replay } from '../model/replay.ts';
import { ResponseError, send, sendForJson, linesOf, idleTimeout, token, wait } from './access.ts';
import { createStore, useStore } from './store.ts';

const JOURNAL = '/journal/v1';
/**
 * Time in milliseconds without data after which a stream is reopened. The server sends a document at least
 * every 2 s, but a new request may wait up to 15 s in the server's queue.
 */
const IDLE_TIMEOUT_MS = 20_000;

/** The journal that the page replays. */
export interface Playing {
  readonly replay: Replay;
  /** Name of the opened file. Absent for the journal of the server. */
  readonly file?: string;
  /** Moment whose surroundings were loaded from the server. It is absent for a whole journal. */
  readonly moment?: {
    readonly atMs: number;
    /** Time of the server when it was loaded. Later entries are missing. */
    readonly loadedMs: number;
    readonly key?: { readonly name: string; readonly key: string };
  };
}

/**
 * The replayed journal; undefined while the page is live. A new wrapper at each step notifies subscribers.
 */
export const playing = createStore<Playing | undefined>(undefined);

/** The last received document, or the error that prevented it. */
export interface Shown<T> {
  readonly document?: T;
  readonly problem?: Error;
}

/**
 * Returns a document of the journal API, which is updated while the page is live. During a replay, computes
 * it from the replayed journal.
 */
export function useDocument<T extends Document>(path: string): Shown<T> {
  const played = useStore(playing);
  const bearer = useStore(token);
  const [shown, show] = useState<Shown<T> & { readonly path?: string }>({});
  useEffect(() => {
    if (played !== undefined) return undefined;
    const leaving = new AbortController();
    void follow<T>(path, leaving.signal, (next) => show({ ...next, path }));
    return () => leaving.abort();
  }, [path, bearer, played === undefined]);
  if (played !== undefined) return replayed<T>(played.replay, path);
  return shown;
}

function replayed<T extends Document>(replay: Replay, path: string): Shown<T> {
  const [place = '', query = ''] = path.split('?');
  const segments = place.split('/').map(decodeURIComponent).join('/');
  const found = documentAt(replay.view(), segments, new URLSearchParams(query));
  return found === undefined
    ? { problem: new Error('the journal has no entry of it up to this moment') }
    : { document: found as T };
}

/**
 * Passes each document of a stream to `show`. Reconnects if the connection was lost or the server is
 * overloaded, but not if the request was rejected.
 */
async function follow<T>(path: string, signal: AbortSignal, show: (shown: Shown<T>) => void): Promise<void> {
  const url = `${JOURNAL}/${path}${path.includes('?') ? '&' : '?'}watch=true`;
  for (;;) {
    const idle = idleTimeout(IDLE_TIMEOUT_MS);
    try {
      const either = AbortSignal.any([signal, idle.signal]);
      const response = await send(url, { accept: 'text/event-stream', signal: either });
      for await (const line of linesOf(response, idle.restart))
        if (line.startsWith('data: ')) show({ document: JSON.parse(line.slice(6)) as T });
    } catch (thrown) {
      if (signal.aborted) return;
      // Some browsers report an aborted body with their own error instead of the signal's reason.
      const problem: unknown = idle.signal.aborted ? idle.signal.reason : thrown;
      show({ problem: problem instanceof Error ? problem : new Error(String(problem)) });
      if (thrown instanceof ResponseError && thrown.status < 429) return;
    } finally {
      idle.end();
    }
    await wait(1_000);
    if (signal.aborted) return;
  }
}

const pictures = new Map<string, Promise<Picture | undefined>>();

/** Returns the picture of a controller's machine. Undefined while it loads, or if there is none. */
export function usePicture(controller: string): Picture | undefined {
  const played = useStore(playing);
  const bearer = useStore(token);
  const [picture, show] = useState<Picture | undefined>(undefined);
  const given = played?.replay.charts[controller];
  useEffect(() => {
    let wanted = true;
    const key = `${bearer} ${controller}`;
    let loading = pictures.get(key);
    if (loading === undefined) {
      loading = sendForJson<Picture>(`${JOURNAL}/machines/${encodeURIComponent(controller)}`).catch(() => {
        pictures.delete(key);
        return undefined;
      });
      pictures.set(key, loading);
    }
    void loading.then((loaded) => wanted && show(loaded));
    return () => void (wanted = false);
  }, [controller, bearer]);
  return isPicture(given) ? given : picture;
}

const isPicture = (value: unknown): value is Picture =>
  typeof value === 'object' && value !== null && 'states' in value && 'edges' in value && 'chart' in value;

/** Fetches the controllers, without the facts that are only valid now, and the time of the server. */
async function controllersNow(): Promise<{ facts: readonly ControllerFacts[]; atMs: number }> {
  const { controllers, atMs } = await sendForJson<Overview>(`${JOURNAL}/controllers`);
  const facts = controllers.map(({ name, watches, keyed }) => ({ name, problems: [], watches, keyed }));
  return { facts, atMs };
}

/** Replays the whole journal of the server, positioned at its end. */
async function playAll(): Promise<void> {
  const [text, { facts }] = await Promise.all([
    send(`${JOURNAL}/export`).then((response) => response.text()),
    controllersNow(),
  ]);
  playing.set({ replay: new Replay(readJournalFile(text), facts) });
}

/**
 * Shows the state of the server's controllers at a time in milliseconds, by default now. `key` is a key whose
 * whole history is shown.
 */
export async function showMoment(
  atMs?: number,
  key?: { readonly name: string; readonly key: string },
): Promise<void> {
  const { facts, atMs: nowMs } = await controllersNow();
  const shownMs = Math.floor(Math.min(atMs ?? nowMs, nowMs));
  const query = new URLSearchParams({ at: String(shownMs) });
  if (key !== undefined) {
    query.set('controller', key.name);
    query.set('key', key.key);
  }
  const text = await (await send(`${JOURNAL}/export?${query}`)).text();
  const replay = new Replay(readJournalFile(text), facts);
  replay.seekTime(shownMs);
  playing.set({ replay, moment: { atMs: shownMs, loadedMs: nowMs, ...(key === undefined ? {} : { key }) } });
}

/** Replays the journal of `orch dashboard --journal FILE`, unless it is empty. */
export async function playServed(): Promise<void> {
  const { entries } = await sendForJson<{ readonly entries: number }>(JOURNAL);
  if (entries > 0) await playAll();
}

/** Replays a journal file, or the journal in the trace of a chaos run. Throws if the file is neither. */
export async function openFile(file: File): Promise<void> {
  const text = await file.text();
  const journal = readJournalFile(journalOfTrace(text) ?? text);
  playing.set({ replay: new Replay(journal), file: file.name });
}

/** Returns the journal of a chaos trace as a journal file, or undefined for other text. */
function journalOfTrace(text: string): string | undefined {
  try {
    const { journal }: { readonly journal?: unknown } = JSON.parse(text);
    return Array.isArray(journal)
      ? [...journalLines({ charts: {}, entries: journal })].join('\n')
      : undefined;
  } catch {
    return undefined;
  }
}

/** Changes the position of the replay and redraws the page. */
export function move(change: (replay: Replay) => void): void {
  const now = playing.get();
  if (now === undefined) return;
  change(now.replay);
  playing.set({ ...now });
}

/** Downloads the replayed journal, or the server's journal while live. */
export async function save(): Promise<void> {
  const played = playing.get();
  const blob =
    played === undefined ? await (await send(`${JOURNAL}/export`)).blob() : new Blob([textOf(played.replay)]);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = played?.file ?? 'journal.ndjson';
  link.click();
  URL.revokeObjectURL(link.href);
}

const textOf = ({ charts, entries }: JournalFile): string =>
  [...journalLines({ charts, entries })].join('\n');
