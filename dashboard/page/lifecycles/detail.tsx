import { useMemo, useState } from 'preact/hooks';
import type { Picture } from '../../chart/layout.ts';
import { countsByState, takenByEdge } from '../../chart/resolve.ts';
import type { LifecycleDocument } from '../../lifecycles/documents.ts';
import { clockTime } from '../../model/moments.ts';
import { usePicture } from '../journal.ts';
import { Ago, Loading, many } from '../parts/bits.tsx';
import { Chart, type Chosen } from '../parts/chart.tsx';
import { toLifecycle } from '../routes.ts';
import { LifecycleObjects } from './objects.tsx';
import { titleOf } from './title.ts';

const LEGEND =
  'Badges count the objects in a state; thicker lines were taken more often in the last hour, dotted lines not at all. Arrow keys go through states and transitions. Drag, or Shift and arrow keys, to move; Ctrl and wheel, or + and −, to zoom; 0 to show all.';

/** One lifecycle: its chart, its states and the objects in the chosen state. */
export function LifecycleDetail(props: {
  lifecycle: LifecycleDocument;
  state: string | undefined;
  sinceMs: number;
}) {
  const { lifecycle, state, sinceMs } = props;
  const { id, machine, problem } = lifecycle;
  const picture = usePicture(machine);
  const [edge, chooseEdge] = useState<string | undefined>(undefined);
  const choose = ({ kind, id: chosen }: Chosen): void => {
    chooseEdge(kind === 'edge' ? chosen : undefined);
    if (kind === 'state' && lifecycle.states.some((each) => each.state === chosen))
      location.hash = toLifecycle(id, chosen);
  };
  return (
    <>
      <h1>Lifecycle: {titleOf(lifecycle)}</h1>
      {problem !== undefined && <p class="warning">{problem}</p>}
      <div class="split">
        <section class="card wide" aria-labelledby="machine">
          <h2 id="machine">States and transitions</h2>
          {picture === undefined ? (
            <Loading />
          ) : (
            <Machine picture={picture} lifecycle={lifecycle} marked={edge ?? state} onChoose={choose} />
          )}
          <p class="soft legend">{LEGEND}</p>
        </section>
        <div class="side">
          <LifecycleObjects lifecycle={lifecycle} state={state} />
          <States lifecycle={lifecycle} />
          <Transitions lifecycle={lifecycle} sinceMs={sinceMs} />
        </div>
      </div>
    </>
  );
}

function Machine(props: {
  picture: Picture;
  lifecycle: LifecycleDocument;
  marked: string | undefined;
  onChoose: (chosen: Chosen) => void;
}) {
  const { picture, lifecycle, marked, onChoose } = props;
  const overlay = useMemo(
    () => ({
      counts: countsByState(
        picture.chart,
        Object.fromEntries(lifecycle.states.map(({ state, objects }) => [state, objects])),
      ),
      noun: 'object',
      taken: takenByEdge(picture.chart, new Set(picture.edges.map(({ id }) => id)), lifecycle.transitions),
      marked: new Set(marked === undefined ? [] : [marked]),
    }),
    [picture, lifecycle, marked],
  );
  return (
    <Chart picture={picture} overlay={overlay} label={`the lifecycle ${lifecycle.id}`} onChoose={onChoose} />
  );
}

function States({ lifecycle: { id, states } }: { lifecycle: LifecycleDocument }) {
  return (
    <section class="card" aria-labelledby="states">
      <h2 id="states">States</h2>
      <div class="scroll" tabIndex={0} role="region" aria-labelledby="states">
        <table>
          <thead>
            <tr>
              <th scope="col">state</th>
              <th scope="col" class="right">
                objects
              </th>
              <th scope="col" class="right">
                longest
              </th>
            </tr>
          </thead>
          <tbody>
            {states.map(({ state, meaning, objects, longestMs }) => (
              <tr key={state}>
                <th scope="row">
                  <a href={toLifecycle(id, state)} title={meaning}>
                    {state}
                  </a>
                </th>
                <td class="right number">{many(objects)}</td>
                <td class="right">{objects === 0 ? '–' : <Ago ms={longestMs} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Transitions({ lifecycle, sinceMs }: { lifecycle: LifecycleDocument; sinceMs: number }) {
  const taken = lifecycle.transitions.toSorted((a, b) => b.taken - a.taken);
  return (
    <section class="card" aria-labelledby="transitions">
      <h2 id="transitions">Transitions of the last hour</h2>
      <p class="soft">Counted since {clockTime(sinceMs)}.</p>
      <ul class="plain">
        {taken.map(({ from, to, taken: count }) => (
          <li key={`${from} ${to}`}>
            {from} → {to} <span class="number">{many(count)}</span>
          </li>
        ))}
      </ul>
      {taken.length === 0 && <p class="soft">None yet.</p>}
    </section>
  );
}
