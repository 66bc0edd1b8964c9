import { expect, test } from 'vitest';
import { createActor, fromPromise, toPromise } from 'xstate';
import { type ObservedClusterInfo, bootstrapSignerMachine } from './bootstrap-signer.ts';

const outdated = { wanted: { data: { signature: 'x' } }, expiresInMs: undefined };
const asItShouldBe = { wanted: null, expiresInMs: undefined };

const pass = async (observed: ObservedClusterInfo | null, confirmed: ObservedClusterInfo | null) => {
  const signed: unknown[] = [];
  const machine = bootstrapSignerMachine.provide({
    actors: {
      observe: fromPromise(() => Promise.resolve(observed)),
      confirm: fromPromise(() => Promise.resolve(confirmed)),
      sign: fromPromise(async ({ input }) => void signed.push(input)),
    },
  });
  const actor = createActor(machine, { input: { key: 'public/cluster-info', retries: 0 } });
  actor.start();
  return { ...(await toPromise(actor)), signed: signed.length };
};

test.each<
  [string, ObservedClusterInfo | null, ObservedClusterInfo | null, { outcome: string; afterMs?: number }]
>([
  ['caches and API miss a signature: it is written', outdated, outdated, { outcome: 'settled' }],
  ['the caches miss nothing: the API is not asked', asItShouldBe, outdated, { outcome: 'settled' }],
  ['there is nothing to sign: the API is not asked', null, outdated, { outcome: 'settled' }],
  [
    'the API shows less than the caches, as one does that answers from the past: it is asked again in a minute',
    outdated,
    asItShouldBe,
    { outcome: 'requeue', afterMs: 60_000 },
  ],
  [
    'no later than the next token expires',
    outdated,
    { wanted: null, expiresInMs: 5_000 },
    { outcome: 'requeue', afterMs: 5_000 },
  ],
])('%s', async (_when, observed, confirmed, expected) => {
  const { signed, ...output } = await pass(observed, confirmed);
  expect(output).toMatchObject(expected);
  expect(signed).toBe(observed === outdated && confirmed === outdated ? 1 : 0);
});
