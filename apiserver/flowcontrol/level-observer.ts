import type { FlowCounts, LevelGauges } from './metrics.ts';
import type { Flow, LimitedRequest, RejectionReason } from './queue.ts';
import type { QueueSetObserver } from './queue-set-observer.ts';

type Counted = LimitedRequest<Flow & { readonly counts: FlowCounts }>;

/** Observer that updates the metrics of one priority level. */
export class LevelObserver implements QueueSetObserver<Flow & { readonly counts: FlowCounts }> {
  readonly #gauges: LevelGauges;
  readonly #onIdle: () => void;

  constructor(gauges: LevelGauges, onIdle: () => void) {
    this.#gauges = gauges;
    this.#onIdle = onIdle;
  }

  enqueued({ flow }: Counted, length: number): void {
    flow.counts.queueLength.observe(length);
  }

  waiting({ flow }: Counted, change: 1 | -1, nowMs: number): void {
    flow.counts.waiting.add(change);
    this.#gauges.waiting.add(change, nowMs);
  }

  executing(request: Counted, change: 1 | -1, nowMs: number): void {
    const { counts } = request.flow;
    counts.executing.add(change);
    this.#gauges.executing.add(change, nowMs);
    if (change === 1) {
      counts.dispatched.add(1);
      counts.waited.executed.observe((nowMs - request.arrivedMs) / 1000);
    } else {
      const kind = request.about?.info.verb === 'watch' ? 'watch' : 'regular';
      counts.served[kind].observe((nowMs - request.startedMs) / 1000);
    }
  }

  seated({ flow, seats }: Counted, change: 1 | -1, nowMs: number): void {
    flow.counts.seats.add(change * seats);
    this.#gauges.seats.add(change * seats, nowMs);
  }

  refused({ flow, arrivedMs }: Counted, why: RejectionReason, nowMs: number): void {
    flow.counts.refused(why).add(1);
    flow.counts.waited.refused.observe((nowMs - arrivedMs) / 1000);
  }

  notSeated({ flow }: Counted): void {
    flow.counts.notSeated.add(1);
  }

  epochAdvanced(): void {
    this.#gauges.epochs.add(1);
  }

  idle(): void {
    this.#onIdle();
  }
}
