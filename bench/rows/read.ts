import type { Ask } from '../load/job.ts';
import { type Load, startBare, startLoad } from '../rig/child.ts';
import { type Daemon, startDaemon } from '../rig/daemon.ts';
import { inFolder } from '../rig/folder.ts';
import { COLLECTION, createAsk, forEachNumber } from '../rig/objects.ts';
import { compareRates } from '../rig/rates.ts';
import type { Figure, Row, Scale, Target } from '../row.ts';

const PROTOCOLS = ['http/1.1', 'h2'] as const;

interface Reading {
  readonly name: string;
  readonly ask: Ask;
  readonly target: Target;
  readonly connections: number;
  readonly streams: number;
}

/**
 * Compares the rate of one request, over both protocols, with the rate of a bare server that returns the same
 * bytes.
 */
async function measure(server: Daemon, load: Load, scale: Scale, reading: Reading): Promise<Figure[]> {
  const { name, ask, target, connections, streams } = reading;
  const answer = (await server.call(ask)).toString('base64');
  await using bare = await startBare({ ...server.serving, answer, store: '' });
  const figures: Figure[] = [];
  for (const protocol of PROTOCOLS) {
    const job = {
      protocol,
      ask,
      // Both protocols have the same number of requests in flight.
      connections: protocol === 'h2' ? connections : connections * streams,
      streams: protocol === 'h2' ? streams : 1,
    };
    figures.push(
      await compareRates({ name: `${name}, ${protocol}`, server, bare, load, job, target }, scale),
    );
  }
  return figures;
}

const reading = (name: string, objects: number, bytes: number, one: Omit<Reading, 'name'>): Row => ({
  name,
  measure: (scale) =>
    inFolder(async (folder) => {
      await using server = await startDaemon('apiserver', folder);
      await using load = startLoad();
      await forEachNumber(objects, 16, (number) => server.call(createAsk(`object-${number}`, bytes)));
      return await measure(server, load, scale, { name, ...one });
    }),
});

export const getRow = reading('get', 1, 700, {
  ask: { method: 'GET', path: `${COLLECTION}/object-0` },
  target: { ratioAtLeast: 0.6 },
  connections: 4,
  streams: 16,
});

export const listRow = reading('list', 1_000, 1_000, {
  ask: { method: 'GET', path: `${COLLECTION}?resourceVersion=0` },
  target: { ratioAtLeast: 0.8 },
  connections: 4,
  streams: 1,
});
