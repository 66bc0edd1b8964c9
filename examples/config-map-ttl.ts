import { assign, setup } from 'xstate';
import { configMaps } from 'orch/api';
import {
  type ReconcileInput,
  type ReconcileOutput,
  effectStates,
  failedBy,
  reconcileDelays,
  requeue,
  settled,
  unprovided,
} from 'orch/machines';
import { type Target, createObjectWrites, defineController, fromTime, targetOf, watch } from 'orch/runtime';

/** Annotation with the time to live of a ConfigMap, in seconds after its creation. */
export const TTL = 'example.com/ttl-seconds';

/** ConfigMap with a time to live; null without a time to live or without the ConfigMap. */
export type Observed = { readonly target: Target; readonly leftMs: number } | null;

interface Context extends ReconcileInput {
  readonly observed: Observed;
  readonly output: ReconcileOutput;
}

const leftMs = ({ context }: { readonly context: Context }): number => context.observed?.leftMs ?? 0;

const machineSetup = setup({
  types: { input: {} as ReconcileInput, context: {} as Context, output: {} as ReconcileOutput },
  actors: {
    observe: unprovided<Observed, ReconcileInput>('observe'),
    deleteExpired: unprovided<void, Observed>('deleteExpired'),
  },
  guards: {
    'it does not expire': ({ context }) => context.observed === null,
    'it has expired': (args) => leftMs(args) <= 0,
  },
  actions: {
    fail: assign({ output: failedBy }),
    wait: assign({ output: (args) => requeue(leftMs(args), 'has time to live') }),
  },
  delays: reconcileDelays,
});
const effectState = effectStates(machineSetup);

/**
 * Machine without `createPlanMachine`, for controllers that need states which that function does not create.
 */
export const machine = machineSetup.createMachine({
  id: 'config-map-ttl',
  context: ({ input }) => ({ ...input, observed: null, output: settled() }),
  output: ({ context }) => context.output,
  initial: 'observing',
  states: {
    observing: effectState({
      src: 'observe',
      input: ({ context: { key, retries } }) => ({ key, retries }),
      onDone: { target: 'deciding', actions: assign({ observed: ({ event }) => event.output }) },
    }),
    deciding: {
      always: [
        { guard: 'it does not expire', target: 'settled' },
        { guard: 'it has expired', target: 'deleting' },
        { target: 'requeue', actions: 'wait' },
      ],
    },
    deleting: effectState({
      src: 'deleteExpired',
      input: ({ context }) => context.observed,
      onDone: 'settled',
    }),
    settled: { type: 'final' },
    requeue: { type: 'final' },
    failed: { type: 'final' },
  },
});

/** Deletes ConfigMaps after their time to live. A requeue of the key replaces a timer. */
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
