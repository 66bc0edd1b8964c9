import { expect, test } from 'vitest';
import { createActor, fromPromise, toPromise } from 'xstate';
import { type ObservedClusterInfo, bootstrapSignerMachine } from './bootstrap-signer.ts';

const outdated = { wanted: { data: { signature: 'x' } }, expiresInMs: undefined };
const upToDate = { wanted: null, expiresInMs: undefined };

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
  [
    'bootstrapSignerMachine signs if the caches and the API lack a signature',
    outdated,
    outdated,
    { outcome: 'settled' },
  ],
  [
    'bootstrapSignerMachine settles without an API read if the caches lack no signature',
    upToDate,
    outdated,
    { outcome: 'settled' },
  ],
  [
    'bootstrapSignerMachine settles without an API read if there is nothing to sign',
    null,
    outdated,
    { outcome: 'settled' },
  ],
  [
    'bootstrapSignerMachine requeues after a minute if the API returns older state than the caches',
    outdated,
    upToDate,
    { outcome: 'requeue', afterMs: 60_000 },
  ],
  [
    'requeues no later than the next token expires',
    outdated,
    { wanted: null, expiresInMs: 5_000 },
    { outcome: 'requeue', afterMs: 5_000 },
  ],
])('%s', async (_when, observed, confirmed, expected) => {
  const { signed, ...output } = await pass(observed, confirmed);
  expect(output).toMatchObject(expected);
  expect(signed).toBe(observed === outdated && confirmed === outdated ? 1 : 0);
});
