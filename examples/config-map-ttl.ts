import { assign, setup } from 'xstate';
import { configMaps } from 'orch/api';
import {
  type ReconcileInput,
  type ReconcileOutput,
  errorText,
  failed,
  reconcileDelays,
  requeue,
  settled,
  unprovided,
} from 'orch/machines';
import { type Target, createObjectWrites, defineController, fromTime, targetOf, watch } from 'orch/runtime';

/** Annotation with the time to live of a config map, in seconds after its creation. */
export const TTL = 'example.com/ttl-seconds';

/** Config map with a time to live; null if it has none or does not exist. */
export type Observed = { readonly target: Target; readonly leftMs: number } | null;

interface Context extends ReconcileInput {
  readonly observed: Observed;
  readonly output: ReconcileOutput;
}

const failure = { target: 'failed', actions: 'fail' } as const;
const leftMs = ({ context }: { readonly context: Context }): number => context.observed?.leftMs ?? 0;

/** Machine written out in full, to show what `createPlanMachine` generates. */
export const machine = setup({
  types: { input: {} as ReconcileInput, context: {} as Context, output: {} as ReconcileOutput },
  actors: {
    observe: unprovided<Observed, ReconcileInput>('observe'),
    deleteExpired: unprovided<void, Observed>('deleteExpired'),
  },
  actions: {
    fail: assign({ output: ({ event }) => failed(errorText(event)) }),
    wait: assign({ output: (args) => requeue(leftMs(args), 'has time to live') }),
  },
  delays: reconcileDelays,
}).createMachine({
  id: 'config-map-ttl',
  context: ({ input }) => ({ ...input, observed: null, output: settled() }),
  output: ({ context }) => context.output,
  initial: 'observing',
  states: {
    observing: {
      invoke: {
        id: 'observe',
        src: 'observe',
        input: ({ context: { key, retries } }) => ({ key, retries }),
        onDone: { target: 'deciding', actions: assign({ observed: ({ event }) => event.output }) },
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    deciding: {
      always: [
        { guard: ({ context }) => context.observed === null, target: 'settled' },
        { guard: (args) => leftMs(args) <= 0, target: 'deleting' },
        { target: 'requeue', actions: 'wait' },
      ],
    },
    deleting: {
      invoke: {
        id: 'deleteExpired',
        src: 'deleteExpired',
        input: ({ context }) => context.observed,
        onDone: 'settled',
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    settled: { type: 'final' },
    requeue: { type: 'final' },
    failed: { type: 'final' },
  },
});

/** Deletes config maps after their time to live. Keys wait in the queue, so it needs no timer. */
export const configMapTtl = defineController({
  name: 'config-map-ttl',
  machine,
  watches: () => [watch(configMaps, { when: ({ metadata }) => metadata?.annotations?.[TTL] !== undefined })],
  effects: ({ client, informers, clock }) => {
    const writes = createObjectWrites(client, configMaps);
    return {
      observe: async ({ key }: ReconcileInput): Promise<Observed> => {
        const found = informers.of(configMaps).store.get(key);
        const seconds = Number(found?.metadata?.annotations?.[TTL]);
        const createdMs = fromTime(found?.metadata?.creationTimestamp);
        if (found === undefined || createdMs === undefined || !(seconds >= 0)) return null;
        return { target: targetOf(found), leftMs: createdMs + seconds * 1000 - clock.now() };
      },
      deleteExpired: ({ target }: NonNullable<Observed>, signal: AbortSignal) =>
        writes.delete(target, { signal }),
    };
  },
});
