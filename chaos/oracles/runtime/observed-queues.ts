import type { Clock } from '../../../base/clock/index.ts';
import type { Environment } from '../../../base/environment.ts';
import type { WorkQueue, WorkQueueFactory } from '../../../runtime/index.ts';
import type { Happening } from './observation.ts';

type Emit = (happening: Happening) => void;

/**
 * Wraps the queues of a process so that they report additions, takes and timers. `pausedUntilMs` returns the
 * end of the latest pause of the process.
 */
export function observeQueues(
  queuesFor: (environment: Environment) => WorkQueueFactory,
  environment: Environment,
  emit: Emit,
  pausedUntilMs: () => number,
): WorkQueueFactory {
  const factories: WorkQueueFactory[] = [];
  return {
    create(name, options) {
      // Each queue has a separate clock, so that its timers can be observed.
      const clock = observeTimers(environment.clock, () => emit({ type: 'queue.timer', queue: name }));
      const factory = queuesFor({ ...environment, clock });
      factories.push(factory);
      const workers = Math.max(1, options?.concurrency ?? 1);
      return observeQueue(factory.create(name, options), workers, emit, pausedUntilMs);
    },
    async close() {
      await Promise.all(factories.splice(0).map((factory) => factory.close()));
    },
  };
}

/** Returns a clock that calls `onTimer` before each timer that had a delay. */
const observeTimers = (clock: Clock, onTimer: () => void): Clock => ({
  now: () => clock.now(),
  monotonic: () => clock.monotonic(),
  setTimeout: (run, delayMs) =>
    clock.setTimeout(() => {
      if (delayMs > 0) onTimer();
      run();
    }, delayMs),
  clearTimeout: (timer) => clock.clearTimeout(timer),
});

function observeQueue(queue: WorkQueue, workers: number, emit: Emit, pausedUntilMs: () => number): WorkQueue {
  const { name } = queue;
  const added = (key: string, delayMs: number): void =>
    emit({ type: 'queue.added', queue: name, key, delayMs });
  return {
    name,
    add(key, change) {
      added(key, 0);
      queue.add(key, change);
    },
    addAfter(key, delayMs) {
      added(key, delayMs);
      queue.addAfter(key, delayMs);
    },
    addRateLimited(key) {
      const delayMs = queue.addRateLimited(key);
      added(key, delayMs);
      return delayMs;
    },
    forget: (key) => queue.forget(key),
    retries: (key) => queue.retries(key),
    run(process, refill) {
      emit({ type: 'queue.started', queue: name, workers });
      return queue.run((key, info) => {
        emit({ type: 'queue.took', queue: name, key, pausedUntilMs: pausedUntilMs() });
        const finished = (): void => emit({ type: 'queue.finished', queue: name, key });
        const processed = process(key, info);
        // The original promise is returned, so that observation causes no delay.
        void processed.then(finished, finished);
        return processed;
      }, refill);
    },
    stats: () => queue.stats(),
    problem: () => queue.problem(),
    stop() {
      emit({ type: 'queue.stopped', queue: name });
      return queue.stop();
    },
  };
}
