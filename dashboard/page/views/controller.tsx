import { useMemo, useState } from 'preact/hooks';
import type { Picture } from '../../chart/layout.ts';
import { countsByState, edgeBetween, takenByEdge } from '../../chart/resolve.ts';
import type { ControllerDocument, EdgeDocument } from '../../model/documents.ts';
import { useDocument, usePicture } from '../journal.ts';
import { Chart, type Chosen } from '../parts/chart.tsx';
import { clockTime } from '../../model/moments.ts';
import { Ago, Choice, Loading, Pill, Problem, Spark, Tile, many, rate } from '../parts/bits.tsx';
import { KeyList } from '../parts/key-list.tsx';
import { Workers } from '../parts/replicas.tsx';
import { toKey } from '../routes.ts';

const WINDOWS = [
  ['60', 'last minute'],
  ['300', '5 minutes'],
  ['all', 'since the start'],
] as const;
type Window = (typeof WINDOWS)[number][0];

const LEGEND =
  'Badges count the keys in a state; thicker lines were taken more often, dotted lines never. Dashed red: an effect failed or timed out. Arrow keys go through states and transitions. Drag, or Shift and arrow keys, to move; Ctrl and wheel, or + and −, to zoom; 0 to show all.';

export function ControllerView({ name }: { name: string }) {
  const [window, setWindow] = useState<Window>('all');
  const [chosen, choose] = useState<Chosen | undefined>(undefined);
  const picture = usePicture(name);
  const { document, problem } = useDocument<ControllerDocument>(
    `controllers/${encodeURIComponent(name)}?window=${window}`,
  );
  if (document === undefined) return problem === undefined ? <Loading /> : <Problem problem={problem} />;
  return (
    <>
      <h1>{name}</h1>
      {document.problems.map((each) => (
        <p key={each} class="warning">
          {each}
        </p>
      ))}
      <Figures document={document} />
      <div class="split">
        <section class="card wide" aria-labelledby="machine">
          <header class="bar">
            <h2 id="machine">Machine</h2>
            <Choice label="time window" options={WINDOWS} chosen={window} onChoose={setWindow} />
          </header>
          {picture === undefined ? (
            <Loading />
          ) : (
            <Machine picture={picture} document={document} chosen={chosen} onChoose={choose} />
          )}
          <p class="soft legend">{LEGEND}</p>
        </section>
        <div class="side">
          <Detail
            name={name}
            chosen={chosen}
            document={document}
            picture={picture}
            onClose={() => choose(undefined)}
          />
          <Workers leader={document.leader} shares={document.shares} atMs={document.atMs} />
          <States document={document} onChoose={(id) => choose({ kind: 'state', id })} />
        </div>
      </div>
    </>
  );
}

function Figures({ document }: { document: ControllerDocument }) {
  const { queue, states, failures } = document;
  const [slowest] = states.filter(({ visits }) => visits > 0).sort((a, b) => b.meanMs - a.meanMs);
  return (
    <dl class="tiles">
      <Tile name="reconciles a second" value={rate(document.reconcilesPerSecond)} />
      <Tile name="keys" value={many(document.keys)} />
      {queue !== undefined && (
        <Tile name="queued · later" value={`${many(queue.ready + queue.active)} · ${many(queue.delayed)}`} />
      )}
      <Tile name="errors in 5 minutes" value={many(failures)} tone={failures > 0 ? 'bad' : undefined} />
      <Tile name="retries in 5 minutes" value={many(document.retries)} />
      {slowest !== undefined && slowest.meanMs > 0 && <Tile name="slowest state" value={slowest.state} />}
      <div class="tile spark-tile">
        <dd>
          <Spark values={document.reconciles} label="reconciles in the last five minutes" />
        </dd>
        <dt>reconciles, last 5 minutes</dt>
      </div>
    </dl>
  );
}

const edgesOf = (picture: Picture): ReadonlySet<string> => new Set(picture.edges.map(({ id }) => id));

function Machine(props: {
  picture: Picture;
  document: ControllerDocument;
  chosen: Chosen | undefined;
  onChoose: (chosen: Chosen) => void;
}) {
  const { picture, document, chosen, onChoose } = props;
  const overlay = useMemo(
    () => ({
      counts: countsByState(picture.chart, document.counts),
      taken: takenByEdge(picture.chart, edgesOf(picture), document.edges),
      marked: new Set(chosen === undefined ? [] : [chosen.id]),
    }),
    [picture, document, chosen],
  );
  return (
    <Chart
      picture={picture}
      overlay={overlay}
      label={`the machine of ${document.name}`}
      onChoose={onChoose}
    />
  );
}

function Detail(props: {
  name: string;
  chosen: Chosen | undefined;
  document: ControllerDocument;
  picture: Picture | undefined;
  onClose: () => void;
}) {
  const { name, chosen, document, picture, onClose } = props;
  if (chosen?.kind === 'edge' && picture !== undefined)
    return <Transition name={name} id={chosen.id} document={document} picture={picture} onClose={onClose} />;
  const state = chosen?.id === '' ? undefined : chosen?.id;
  return (
    <section class="card" aria-labelledby="keys">
      <header class="bar">
        <h2 id="keys">{state === undefined ? 'Keys' : `Keys in ${state}`}</h2>
        {state !== undefined && (
          <button type="button" onClick={onClose}>
            all states
          </button>
        )}
      </header>
      <KeyList key={state} controller={name} state={state} />
    </section>
  );
}

function Transition(props: {
  name: string;
  id: string;
  document: ControllerDocument;
  picture: Picture;
  onClose: () => void;
}) {
  const { name, id, document, picture, onClose } = props;
  const edge = picture.edges.find((each) => each.id === id);
  const known = edgesOf(picture);
  const taken = document.edges.filter(
    ({ from, to }: EdgeDocument) => edgeBetween(picture.chart, known, from, to) === id,
  );
  const last = taken.flatMap((each) => each.last).sort((a, b) => b.seq - a.seq);
  const count = taken.reduce((sum, each) => sum + each.taken, 0);
  return (
    <section class="card" aria-labelledby="transition">
      <header class="bar">
        <h2 id="transition">
          {edge?.from || 'any state'} → {edge?.to}
        </h2>
        <button type="button" onClick={onClose}>
          close
        </button>
      </header>
      <p class="soft">
        {edge?.title} · taken {many(count)} times
      </p>
      <ol class="plain">
        {last.map(({ seq, key, atMs, event }) => (
          <li key={seq}>
            <a href={toKey(name, key)} title={event}>
              <span class="key-name">{key}</span>
              <time class="number">{clockTime(atMs)}</time>
            </a>
          </li>
        ))}
      </ol>
      {last.length === 0 && <p class="soft">The journal has no reconcile that took it.</p>}
    </section>
  );
}

function States({ document, onChoose }: { document: ControllerDocument; onChoose: (state: string) => void }) {
  return (
    <section class="card" aria-labelledby="states">
      <h2 id="states">States</h2>
      <div class="scroll" tabIndex={0} role="region" aria-labelledby="states">
        <table>
          <thead>
            <tr>
              <th scope="col">state</th>
              <th scope="col" class="right">
                keys
              </th>
              <th scope="col" class="right">
                visits
              </th>
              <th scope="col" class="right">
                mean
              </th>
              <th scope="col" class="right">
                longest
              </th>
            </tr>
          </thead>
          <tbody>
            {document.states.map(({ state, keys, visits, meanMs, longestMs, outcome }) => (
              <tr key={state}>
                <th scope="row">
                  <button type="button" class="link" onClick={() => onChoose(state)}>
                    {state}
                  </button>{' '}
                  {outcome !== undefined && outcome !== state && <Pill tone={outcome}>{outcome}</Pill>}
                </th>
                <td class="right number">{many(keys)}</td>
                <td class="right number">{many(visits)}</td>
                <td class="right">{outcome === undefined ? <Ago ms={meanMs} /> : '–'}</td>
                <td class="right">{outcome === undefined ? <Ago ms={longestMs} /> : '–'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
