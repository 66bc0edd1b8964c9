import { countsByState } from '../../chart/resolve.ts';
import type { Overview, Summary } from '../../model/documents.ts';
import { AttentionCard } from '../attention/attention-card.tsx';
import { usePicture, useDocument } from '../journal.ts';
import { MiniChart } from '../parts/chart.tsx';
import { Replicas, Standby } from '../parts/replicas.tsx';
import { Ago, Loading, Pill, Problem, Spark, Tile, many, rate } from '../parts/bits.tsx';
import type { InformerFacts } from '../../model/view.ts';
import { TO_FAILING, toController } from '../routes.ts';

export function OverviewView() {
  const { document: overview, problem } = useDocument<Overview>('controllers');
  if (overview === undefined) return problem === undefined ? <Loading /> : <Problem problem={problem} />;
  return (
    <>
      <h1>Overview</h1>
      <AttentionCard />
      <Standby replicas={overview.replicas} shared={overview.shared} />
      <Totals overview={overview} />
      <section aria-labelledby="controllers">
        <h2 id="controllers">Controllers</h2>
        <ul class="cards">
          {overview.controllers.map((each) => (
            <ControllerCard key={each.name} summary={each} />
          ))}
        </ul>
      </section>
      {overview.replicas.length > 0 && (
        <Replicas replicas={overview.replicas} shared={overview.shared} atMs={overview.atMs} />
      )}
      {overview.informers.length > 0 && <Informers overview={overview} />}
    </>
  );
}

function Totals({ overview: { controllers, server, seq } }: { overview: Overview }) {
  const sum = (of: (each: Summary) => number): number =>
    controllers.reduce((total, each) => total + of(each), 0);
  const failing = sum((each) => each.failing);
  return (
    <dl class="tiles">
      <Tile name="reconciles a second" value={rate(sum((each) => each.reconcilesPerSecond))} />
      <Tile name="keys known" value={many(sum((each) => each.keys))} />
      <Tile
        name="keys failing"
        value={many(failing)}
        tone={failing > 0 ? 'bad' : undefined}
        href={failing > 0 ? TO_FAILING : undefined}
      />
      <Tile name="journal entries" value={many(seq)} />
      {server !== undefined && (
        <>
          <Tile name="API requests a second" value={rate(server.requestsPerSecond)} />
          <Tile
            name="API p50 · p99, at most"
            value={`${Math.round(server.p50Ms)} · ${Math.round(server.p99Ms)} ms`}
          />
          <Tile
            name="API errors a second"
            value={rate(server.errorsPerSecond)}
            tone={server.errorsPerSecond > 0 ? 'bad' : undefined}
          />
          <Tile name="watchers" value={many(server.watchers)} />
          <Tile name="storage revision" value={server.revision} />
        </>
      )}
    </dl>
  );
}

function ControllerCard({ summary }: { summary: Summary }) {
  const { name, queue, problems, failing, leader } = summary;
  const picture = usePicture(name);
  return (
    <li class={`card controller ${problems.length > 0 || failing > 0 ? 'ill' : ''}`}>
      <a href={toController(name)} class="cover" aria-label={`controller ${name}`} />
      <header>
        <h3>{name}</h3>
        {failing > 0 && <Pill tone="failed">{failing} failing</Pill>}
        {problems.length > 0 && <Pill tone="failed">not running</Pill>}
        {leader !== undefined && (
          <Pill tone={leader.own ? 'settled' : ''}>{leader.own ? 'leader' : 'replica'}</Pill>
        )}
      </header>
      <div class="look">
        <div class="figures">
          <p class="rate">
            <b>{rate(summary.reconcilesPerSecond)}</b> reconciles/s
          </p>
          <Spark values={summary.reconciles} label={`reconciles of ${name} in the last five minutes`} />
        </div>
        {picture !== undefined && (
          <MiniChart
            picture={picture}
            overlay={{ counts: countsByState(picture.chart, summary.counts) }}
            label={`the machine of ${name}`}
          />
        )}
      </div>
      <dl class="facts">
        <Fact name="keys" value={many(summary.keys)} />
        {queue !== undefined && <Fact name="queued" value={many(queue.ready + queue.active)} />}
        {queue !== undefined && <Fact name="later" value={many(queue.delayed)} />}
        {queue !== undefined && (
          <Fact name="oldest" value={queue.ready === 0 ? '–' : <Ago ms={queue.oldestMs} />} />
        )}
        <Fact name="errors" value={many(summary.failures)} tone={summary.failures > 0 ? 'bad' : ''} />
        <Fact name="retries" value={many(summary.retries)} />
      </dl>
    </li>
  );
}

function Fact({ name, value, tone = '' }: { name: string; value: unknown; tone?: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class={tone}>{value as string}</dd>
    </div>
  );
}

/** Informers that are not watching. The others are below them, hidden until the user opens their summary. */
function Informers({ overview: { informers } }: { overview: Overview }) {
  const isHealthy = ({ synced, watching }: InformerFacts): boolean => synced && watching;
  const healthy = informers.filter(isHealthy);
  const others = informers.filter((each) => !isHealthy(each));
  return (
    <section class="card" aria-labelledby="informers">
      <h2 id="informers">Informers</h2>
      {others.length > 0 && <InformerTable informers={others} label="informers that are not watching" />}
      {healthy.length > 0 && (
        <details>
          <summary>
            {healthy.length === 1 ? '1 informer watches' : `${healthy.length} informers watch`}
          </summary>
          <InformerTable informers={healthy} label="informers that watch" />
        </details>
      )}
    </section>
  );
}

function InformerTable({ informers, label }: { informers: readonly InformerFacts[]; label: string }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            <th scope="col">resource</th>
            <th scope="col">state</th>
            <th scope="col" class="right">
              objects
            </th>
            <th scope="col" class="right">
              last event
            </th>
          </tr>
        </thead>
        <tbody>
          {informers.map(({ name, synced, watching, objects, silentMs }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>
                <Pill tone={synced && watching ? 'settled' : 'requeue'}>
                  {synced ? (watching ? 'watching' : 're-listing') : 'syncing'}
                </Pill>
              </td>
              <td class="right number">{many(objects)}</td>
              <td class="right">
                <Ago ms={silentMs} /> ago
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
