import type { RateJob } from '../load/job.ts';
import { type Figure, type Scale, type Target, alternate, toFigure } from '../row.ts';
import type { Bare, Load } from './child.ts';
import type { Daemon } from './daemon.ts';

export interface RateComparison {
  readonly name: string;
  readonly server: Daemon;
  readonly bare: Bare;
  readonly load: Load;
  /** Request to repeat, the protocol, and the number of requests in flight. */
  readonly job: Pick<RateJob, 'protocol' | 'connections' | 'streams' | 'ask'>;
  readonly target: Target;
}

/**
 * Durations in milliseconds. Both servers warm up first, because code that is not compiled yet is several
 * times slower.
 */
const TIMES = {
  quick: { warmUp: 1_500, round: 400, rounds: 3 },
  full: { warmUp: 5_000, round: 1_500, rounds: 5 },
} as const satisfies Record<Scale, object>;

/**
 * Compares the rate of one request with the rate of the bare server, alternating between both servers. All
 * connections are open before the timing starts.
 */
export async function compareRates(comparison: RateComparison, scale: Scale): Promise<Figure> {
  const { name, server, bare, load, job, target } = comparison;
  const { warmUp, round, rounds } = TIMES[scale];
  const ask = (port: number, ms: number): Promise<number> =>
    load.run({ kind: 'rate', ...job, ms, place: { ...server.place, port } });
  await ask(server.place.port, warmUp);
  await ask(bare.port, warmUp);
  const samples = await alternate(
    { warmUp: 0, counted: rounds },
    () => ask(server.place.port, round),
    () => ask(bare.port, round),
  );
  return toFigure(name, 'a second', samples, target);
}
