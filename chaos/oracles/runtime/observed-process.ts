import type { Environment } from '../../../base/environment.ts';
import type { RunningInformers, Transport, WorkQueueFactory } from '../../../runtime/index.ts';
import type { LiveView } from '../../invariants/invariant.ts';
import { type ObservedInformers, observeInformers } from './observed-informers.ts';
import { observeQueues } from './observed-queues.ts';
import { createCallerNumbers, observeWrites } from './observed-requests.ts';
import type { Happening } from './observation.ts';

/** Observer of one process, from its start to its end. */
export interface ProcessObserver {
  /** Returns a transport that reports the writes sent by `actor` and otherwise behaves the same. */
  transport(transport: Transport, actor: string): Transport;
  informers(informers: RunningInformers): RunningInformers;
  queues(
    queuesFor: (environment: Environment) => WorkQueueFactory,
    environment: Environment,
  ): WorkQueueFactory;
  /** Reports the content of caches and queues in a quiescent world. */
  observeQuiescence(live: LiveView): void;
}

/**
 * Creates an observer that reports events in a process without changing its behaviour. `pausedUntilMs`
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
