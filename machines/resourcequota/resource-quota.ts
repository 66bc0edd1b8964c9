import { assign, setup } from 'xstate';
import {
  type ReconcileInput,
  type ReconcileOutput,
  failedBy,
  reconcileDelays,
  requeue,
  settled,
  unprovided,
} from '../reconcile/reconcile.ts';
import { effectStates } from '../reconcile/effect-state.ts';
import { type Amounts, type Count, type ObservedQuota, type QuotaPlan, planQuota } from './plan.ts';

/** Input of the effect that counts the usage of a quota. */
export interface CountInput {
  readonly key: string;
  readonly uid: string;
}

/** Input of the effect that writes the status of a quota. */
export interface WriteInput {
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly hard: Amounts;
  readonly used: Amounts;
}

interface Context extends ReconcileInput {
  readonly found: ObservedQuota | undefined;
  readonly plan: QuotaPlan | undefined;
  readonly output: ReconcileOutput;
}

const machineSetup = setup({
  types: { input: {} as ReconcileInput, context: {} as Context, output: {} as ReconcileOutput },
  actors: {
    observe: unprovided<ObservedQuota | null, { readonly key: string }>('observe'),
    count: unprovided<Count, CountInput>('count'),
    write: unprovided<void, WriteInput>('write'),
  },
  guards: {
    'the quota does not exist': ({ context }) => context.found === undefined,
    'the status is correct': ({ context }) => context.plan?.isCurrent === true,
    'recent charges must settle': ({ context }) => context.plan?.againInMs !== undefined,
  },
  actions: {
    wait: assign({
      output: ({ context }) => requeue(context.plan?.againInMs ?? 0, 'recent charges'),
    }),
    fail: assign({ output: failedBy }),
  },
  delays: reconcileDelays,
});
const effectState = effectStates(machineSetup);

/**
 * Counts the objects that a quota limits and writes the usage to the quota's status. The key is the key of
 * the quota.
 *
 *     observing → counting → deciding → writing → finishing → settled
 *                                     ↘ finishing ↗         ↘ requeue (once recent charges are too old)
 */
export const resourceQuotaMachine = machineSetup.createMachine({
  id: 'resourcequota',
  context: ({ input }) => ({ found: undefined, plan: undefined, output: settled(), ...input }),
  output: ({ context }) => context.output,
  initial: 'observing',
  states: {
    observing: effectState({
      src: 'observe',
      input: ({ context }) => ({ key: context.key }),
      onDone: { target: 'observed', actions: assign({ found: ({ event }) => event.output ?? undefined }) },
    }),
    observed: { always: [{ guard: 'the quota does not exist', target: 'settled' }, { target: 'counting' }] },
    counting: effectState({
      src: 'count',
      input: ({ context }) => ({ key: context.key, uid: context.found?.uid ?? '' }),
      onDone: {
        target: 'deciding',
        actions: assign({
          plan: ({ context, event }) => context.found && planQuota(context.found, event.output),
        }),
      },
    }),
    deciding: { always: [{ guard: 'the status is correct', target: 'finishing' }, { target: 'writing' }] },
    writing: effectState({
      src: 'write',
      input: ({ context: { key, found, plan } }) => ({
        key,
        uid: found?.uid ?? '',
        resourceVersion: found?.resourceVersion ?? '',
        hard: plan?.hard ?? {},
        used: plan?.used ?? {},
      }),
      onDone: 'finishing',
    }),
    finishing: {
      always: [
        { guard: 'recent charges must settle', target: 'requeue', actions: 'wait' },
        { target: 'settled' },
      ],
    },
    settled: { type: 'final' },
    requeue: { type: 'final' },
    failed: { type: 'final' },
  },
});
