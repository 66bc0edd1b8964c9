import fc from 'fast-check';
import { expect } from 'vitest';
import { configMaps, namespaces } from '../../api/groups/core-v1.ts';
import type { World } from '../../test/world/world.ts';
import {
  GUARD,
  type RandomRequest,
  Requester,
  createSeen,
  randomRequest,
} from './random-requests.fixture.ts';
import {
  type Twin,
  createModelTwin,
  createNaming,
  createRealServer,
  outcomeOf,
} from './twin-servers.fixture.ts';

/** Creates a namespace for each name, and the object that write conditions refer to. */
async function prepared(twin: Twin, run: string): Promise<Requester> {
  const seen = createSeen();
  for (const name of ['one', 'two', 'guard'])
    seen.note(
      'namespaces',
      await twin.client.cluster(namespaces).create({ metadata: { name: `${name}-${run}` } }),
    );
  seen.note(
    'guard',
    await twin.client.namespaced(configMaps, `guard-${run}`).create({ metadata: { name: GUARD } }),
  );
  return new Requester(twin.client, seen, run);
}

/** Returns all objects of a server as comparable JSON. */
const contentOf = async (twin: Twin, requester: Requester): Promise<readonly string[]> =>
  (await requester.everything()).map((object) => JSON.stringify(sorted(twin.named(object)))).sort();

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  );
};

const isUnsupported = (outcome: unknown): boolean =>
  typeof outcome === 'object' && outcome !== null && 'unsupported' in outcome;

/** Requests that the model may reject as unsupported. */
const mayBeUnsupported = ({ verb, patch }: RandomRequest): boolean => verb === 'patch' && patch === 'apply';

/** Sends the requests to a model and to the real server, and compares each outcome and all objects after it. */
async function compare(world: World, requests: readonly RandomRequest[], run: string): Promise<number> {
  const model = createModelTwin(() => world.clock.now());
  const real: Twin = { client: world.client, named: createNaming() };
  const [onModel, onReal] = [await prepared(model, run), await prepared(real, run)];
  let compared = 0;
  for (const request of requests) {
    await world.clock.advance(request.waitSeconds * 1000);
    const found = await outcomeOf(model, () => onModel.perform(request), request.dryRun);
    if (isUnsupported(found)) {
      expect(mayBeUnsupported(request), JSON.stringify([request, found])).toBe(true);
      continue;
    }
    compared++;
    const expected = await outcomeOf(real, () => onReal.perform(request), request.dryRun);
    expect(found, JSON.stringify(request)).toEqual(expected);
    expect(await contentOf(model, onModel), JSON.stringify(request)).toEqual(await contentOf(real, onReal));
  }
  return compared;
}

/** Compares the servers for random sequences of requests. Returns the number of compared requests. */
export async function compareServers(options: {
  readonly seed: number;
  readonly runs: number;
}): Promise<number> {
  const world = await createRealServer();
  let [run, compared] = [0, 0];
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(randomRequest, { minLength: 1, maxLength: 16 }), async (requests) => {
        compared += await compare(world, requests, `${++run}`);
      }),
      { numRuns: options.runs, seed: options.seed },
    );
  } finally {
    await world.stop();
  }
  return compared;
}
