import { useState } from 'preact/hooks';
import type { JournalEntry } from '../../../runtime/journal/index.ts';
import { keyOf } from '../history/address.ts';
import { Events } from '../history/events.tsx';
import { goLive, useMomentAddress } from '../history/follow-address.ts';
import { TimeAxis } from '../history/time-axis.tsx';
import { type Playing, move, openFile, playing, save, showMoment } from '../journal.ts';
import { useStore } from '../store.ts';
import { clockTime } from '../../model/moments.ts';
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
  useMomentAddress(route, live, attempt);
  return (
    <div class={`replay ${played === undefined ? '' : 'held'}`} role="toolbar" aria-label="time travel">
      {played === undefined ? (
        <>
          <span class="live">{live ? 'live' : 'journal'}</span>
          <button type="button" onClick={() => attempt(showMoment(undefined, keyOf(route)))}>
            pause
          </button>
        </>
      ) : (
        <Position played={played} route={route} live={live} attempt={attempt} />
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
function Position(props: {
  played: Playing;
  route: Route;
  live: boolean;
  attempt: (work: Promise<void>) => void;
}) {
  const { played, route, live, attempt } = props;
  const { replay } = played;
  const [all, showAll] = useState(false);
  const wanted = all ? () => true : concerns(route);
  const step = (by: 1 | -1) => (): void => move((moved) => moved.step(by, wanted));
  return (
    <>
      {live && (
        <button type="button" class="primary" onClick={goLive}>
          go live
        </button>
      )}
      <button type="button" aria-label="step back" onClick={step(-1)}>
        ◀
      </button>
      <TimeAxis played={played} route={route} all={all} attempt={attempt} />
      <button type="button" aria-label="step forward" onClick={step(1)}>
        ▶
      </button>
      <output class="number">
        <time dateTime={new Date(replay.momentMs).toISOString()}>{clockTime(replay.momentMs)}</time>
        {replay.current !== undefined && <span class="soft"> {textOf(replay.current)}</span>}
      </output>
      {(route.view === 'controller' || route.view === 'key') && (
        <label>
          <input
            type="checkbox"
            checked={all}
            onChange={({ currentTarget }) => showAll(currentTarget.checked)}
          />{' '}
          all controllers
        </label>
      )}
      <Events played={played} wanted={wanted} />
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
