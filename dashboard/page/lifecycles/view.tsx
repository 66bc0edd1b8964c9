import { countsByState } from '../../chart/resolve.ts';
import type { LifecycleDocument, LifecyclesDocument } from '../../lifecycles/documents.ts';
import { usePicture } from '../journal.ts';
import { Loading, Pill, Problem, many } from '../parts/bits.tsx';
import { MiniChart } from '../parts/chart.tsx';
import { toLifecycle } from '../routes.ts';
import { LifecycleDetail } from './detail.tsx';
import { useLifecycles } from './read.ts';
import { titleOf } from './title.ts';

/** Returns the number of objects in each state. */
const countsIn = ({ states }: LifecycleDocument): Readonly<Record<string, number>> =>
  Object.fromEntries(states.map(({ state, objects }) => [state, objects]));

/** States of objects: all lifecycles, or one with its chart and the objects in a state. */
export function LifecyclesView({ id, state }: { id: string | undefined; state: string | undefined }) {
  const { document, problem } = useLifecycles<LifecyclesDocument>('lifecycles');
  if (document === undefined) return problem === undefined ? <Loading /> : <Problem problem={problem} />;
  if (id === undefined) return <Overview document={document} />;
  const shown = document.items.find((each) => each.id === id);
  return shown === undefined ? (
    <Problem problem={new Error(`no lifecycle ${JSON.stringify(id)}`)} />
  ) : (
    <LifecycleDetail lifecycle={shown} state={state} sinceMs={document.sinceMs} />
  );
}

function Overview({ document }: { document: LifecyclesDocument }) {
  return (
    <>
      <h1>Lifecycles</h1>
      <p class="soft">The states of objects. Choose one to see its chart and its objects.</p>
      <ul class="cards">
        {document.items.map((each) => (
          <Card key={each.id} lifecycle={each} />
        ))}
      </ul>
    </>
  );
}

function Card({ lifecycle }: { lifecycle: LifecycleDocument }) {
  const { id, machine, objects, states, synced, problem } = lifecycle;
  const picture = usePicture(machine);
  return (
    <li class="card controller">
      <a href={toLifecycle(id)} class="cover" aria-label={`lifecycle ${id}`} />
      <header>
        <h2>{titleOf(lifecycle)}</h2>
        {!synced && <Pill tone="requeue">{problem === undefined ? 'syncing' : 'not readable'}</Pill>}
      </header>
      <div class="look">
        <p class="rate">
          <b>{many(objects)}</b> {objects === 1 ? 'object' : 'objects'}
        </p>
        {picture !== undefined && (
          <MiniChart
            picture={picture}
            overlay={{ counts: countsByState(picture.chart, countsIn(lifecycle)) }}
            label={`the lifecycle ${id}`}
          />
        )}
      </div>
      <dl class="facts states">
        {states.map((each) => (
          <div key={each.state}>
            <dt>{each.state}</dt>
            <dd>{many(each.objects)}</dd>
          </div>
        ))}
      </dl>
    </li>
  );
}
