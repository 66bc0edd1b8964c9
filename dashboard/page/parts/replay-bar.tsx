import { useState } from 'preact/hooks';
import type { JournalEntry } from '../../../runtime/journal/index.ts';
import { type Playing, move, openFile, pause, playing, save } from '../journal.ts';
import { useStore } from '../store.ts';
import { clockTime } from '../../model/moments.ts';
import { many } from './bits.tsx';
import type { Route } from '../routes.ts';

/** Returns a predicate for entries of the route's controller or key. Steps stop only at such entries. */
function concerns(route: Route): (entry: JournalEntry) => boolean {
  if (route.view === 'controller') return ({ controller }) => controller === route.name;
  if (route.view === 'key') return ({ controller, key }) => controller === route.name && key === route.key;
  return () => true;
}

const textOf = ({ kind, controller, key, state, outcome }: JournalEntry): string =>
  [controller, key, kind, state, outcome].filter((each) => each !== undefined).join(' · ');

/** Toolbar that pauses the page and steps through the journal. */
export function ReplayBar({ route, live }: { route: Route; live: boolean }) {
  const played = useStore(playing);
  const [problem, setProblem] = useState('');
  const attempt = (work: Promise<void>): void =>
    void work.then(
      () => setProblem(''),
      (thrown: unknown) => setProblem(thrown instanceof Error ? thrown.message : String(thrown)),
    );
  return (
    <div class={`replay ${played === undefined ? '' : 'held'}`} role="toolbar" aria-label="time travel">
      {played === undefined ? (
        <>
          <span class="live">{live ? 'live' : 'journal'}</span>
          <button type="button" onClick={() => attempt(pause())}>
            pause
          </button>
        </>
      ) : (
        <Position played={played} route={route} live={live} />
      )}
      <span class="spread" />
      <button type="button" onClick={() => attempt(save())}>
        export
      </button>
      <OpenFile onFile={(file) => attempt(openFile(file))} />
      {problem !== '' && (
        <p class="warning" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

/** Position in the replayed journal, with controls to change it. */
function Position({ played: { replay }, route, live }: { played: Playing; route: Route; live: boolean }) {
  const step = (by: 1 | -1) => (): void => move((moved) => moved.step(by, concerns(route)));
  return (
    <>
      {live && (
        <button type="button" class="primary" onClick={() => playing.set(undefined)}>
          go live
        </button>
      )}
      <button type="button" aria-label="step back" onClick={step(-1)}>
        ◀
      </button>
      <input
        type="range"
        aria-label="position in the journal"
        min={0}
        max={replay.entries.length}
        value={replay.position}
        onInput={({ currentTarget }) => move((moved) => moved.seek(Number(currentTarget.value)))}
      />
      <button type="button" aria-label="step forward" onClick={step(1)}>
        ▶
      </button>
      <output class="number">
        {many(replay.position)} of {many(replay.entries.length)}
        {replay.current !== undefined && (
          <>
            {' '}
            · <time>{clockTime(replay.current.atMs)}</time> <span class="soft">{textOf(replay.current)}</span>
          </>
        )}
      </output>
    </>
  );
}

const OpenFile = ({ onFile }: { onFile: (file: File) => void }) => (
  <label class="button">
    open
    <input
      type="file"
      class="unseen"
      accept=".ndjson,.jsonl,.json,application/x-ndjson"
      onChange={({ currentTarget }) => {
        const [file] = currentTarget.files ?? [];
        if (file !== undefined) onFile(file);
        // A browser reports no change if the same file is chosen twice.
        currentTarget.value = '';
      }}
    />
  </label>
);
