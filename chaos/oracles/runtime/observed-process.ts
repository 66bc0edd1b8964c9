import type { Environment } from '../../../base/environment.ts';
import type { RunningInformers, Transport, WorkQueueFactory } from '../../../runtime/index.ts';
import type { LiveView } from '../../invariants/invariant.ts';
import { type ObservedInformers, observeInformers } from './observed-informers.ts';
import { observeQueues } from './observed-queues.ts';
import { createCallerNumbers, observeWrites } from './observed-requests.ts';
import type { Happening } from './observation.ts';

/** Observer of one life of a process. */
export interface ProcessObserver {
  /** Returns a transport that behaves the same and reports the writes that `actor` sends. */
  transport(transport: Transport, actor: string): Transport;
  informers(informers: RunningInformers): RunningInformers;
  queues(
    queuesFor: (environment: Environment) => WorkQueueFactory,
    environment: Environment,
  ): WorkQueueFactory;
  /** Reports caches and queues of a quiescent world. */
  observeQuiescence(live: LiveView): void;
}

/**
 * Creates an observer that reports what happens in a process and changes nothing about it. `pausedUntilMs`
 * returns the end of the latest pause of the process.
 */
export function observeProcess(
  emit: (happening: Happening) => void,
  pausedUntilMs: () => number,
): ProcessObserver {
  const numberOf = createCallerNumbers();
  let observed: ObservedInformers | undefined;
  emit({ type: 'started' });
  return {
    transport: (transport, actor) => observeWrites(transport, actor, numberOf, emit),
    informers(informers) {
      observed = observeInformers(informers, emit);
      return observed.informers;
    },
    queues: (queuesFor, environment) => observeQueues(queuesFor, environment, emit, pausedUntilMs),
    observeQuiescence(live) {
      observed?.observeContent(live);
      emit({ type: 'quiescent', pausedUntilMs: pausedUntilMs() });
    },
  };
}
