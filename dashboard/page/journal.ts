import { useEffect, useState } from 'preact/hooks';
import { type JournalFile, journalLines, readJournalFile } from '../../runtime/journal/index.ts';
import type { Picture } from '../chart/layout.ts';
import { type Document, type Overview, documentAt } from '../model/documents.ts';
import type { ControllerFacts } from '../model/view.ts';
import { Replay } from '../model/replay.ts';
import { Refused, ask, askJson, linesOf, silenceOf, token, wait } from './access.ts';
import { createStore, useStore } from './store.ts';

const JOURNAL = '/journal/v1';
/** A document is told every two seconds at least; a request may wait for its seat for a quarter of a minute. */
const SILENCE_MS = 20_000;

/** A journal that is played again. */
export interface Playing {
  readonly replay: Replay;
  readonly file?: string;
}

/** Wrapped anew at each step; undefined while the page shows what happens now. */
export const playing = createStore<Playing | undefined>(undefined);

export interface Shown<T> {
  readonly document?: T;
  readonly problem?: Refused | Error;
}

/** A document of the journal: of this moment and the ones that follow, or of the moment that is played again. */
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
    ? { problem: new Error('nothing of it is in the journal at this moment') }
    : { document: found as T };
}

/** Takes what a stream tells; after a broken connection begins again, after a refusal does not. */
async function follow<T>(path: string, signal: AbortSignal, show: (shown: Shown<T>) => void): Promise<void> {
  const url = `${JOURNAL}/${path}${path.includes('?') ? '&' : '?'}watch=true`;
  for (;;) {
    const silence = silenceOf(SILENCE_MS);
    try {
      const either = AbortSignal.any([signal, silence.signal]);
      const response = await ask(url, { accept: 'text/event-stream', signal: either });
      for await (const line of linesOf(response, silence.heard))
        if (line.startsWith('data: ')) show({ document: JSON.parse(line.slice(6)) as T });
    } catch (thrown) {
      if (signal.aborted) return;
      // Of a body that was cut off some browsers say so in words of their own, and not why.
      const problem: unknown = silence.signal.aborted ? silence.signal.reason : thrown;
      show({ problem: problem instanceof Error ? problem : new Error(String(problem)) });
      if (thrown instanceof Refused && thrown.status < 429) return;
    } finally {
      silence.end();
    }
    await wait(1_000);
    if (signal.aborted) return;
  }
}

const pictures = new Map<string, Promise<Picture | undefined>>();

/** The picture of a controller's machine; undefined until it is there, and where there is none. */
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
      loading = askJson<Picture>(`${JOURNAL}/machines/${encodeURIComponent(controller)}`).catch(() => {
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

/** Holds the moment: the journal up to now is played from its end. */
export async function pause(): Promise<void> {
  const [text, overview] = await Promise.all([
    ask(`${JOURNAL}/export`).then((response) => response.text()),
    askJson<Overview>(`${JOURNAL}/controllers`),
  ]);
  const facts = overview.controllers.map(({ name, watches, keyed }): ControllerFacts => ({
    name,
    problems: [],
    watches,
    keyed,
  }));
  playing.set({ replay: new Replay(readJournalFile(text), facts) });
}

/** Plays the journal that the page was served with, where there is one. */
export async function playServed(): Promise<void> {
  const { entries } = await askJson<{ readonly entries: number }>(JOURNAL);
  if (entries > 0) await pause();
}

/** Plays a journal file, or the journal in the trace of a chaos run. Throws when it is neither. */
export async function open(file: File): Promise<void> {
  const text = await file.text();
  const journal = readJournalFile(ofTrace(text) ?? text);
  playing.set({ replay: new Replay(journal), file: file.name });
}

/** A trace is one object with the entries in it, as a journal file has them; undefined of anything else. */
function ofTrace(text: string): string | undefined {
  try {
    const { journal }: { readonly journal?: unknown } = JSON.parse(text);
    return Array.isArray(journal)
      ? [...journalLines({ charts: {}, entries: journal })].join('\n')
      : undefined;
  } catch {
    return undefined;
  }
}

/** Does something to the replay and shows what came of it. */
export function move(change: (replay: Replay) => void): void {
  const now = playing.get();
  if (now === undefined) return;
  change(now.replay);
  playing.set({ ...now });
}

/** Saves the journal: the one that is played, else that of the server. */
export async function save(): Promise<void> {
  const played = playing.get();
  const blob =
    played === undefined ? await (await ask(`${JOURNAL}/export`)).blob() : new Blob([textOf(played.replay)]);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = played?.file ?? 'journal.ndjson';
  link.click();
  URL.revokeObjectURL(link.href);
}

const textOf = ({ charts, entries }: JournalFile): string =>
  [...journalLines({ charts, entries })].join('\n');
