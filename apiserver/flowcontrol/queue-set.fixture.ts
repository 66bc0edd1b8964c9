import { type SimulatedClock, createSimulatedClock } from '../../base/clock/simulated.ts';
import { type Flow, LimitedRequest, type Refusal, type Verdict } from './queue.ts';
import { QueueSet } from './queue-set.ts';
import type { QueueSetObserver } from './queue-set-observer.ts';
import type { QueueSetConfiguration } from './dispatcher.ts';
import { hashFlow } from './shuffle-sharding.ts';
import { ONE_SEAT, type WorkEstimate } from './work.ts';

export const flowOf = (distinguisher: string): Flow => ({
  schema: 'test',
  distinguisher,
  hash: hashFlow('test', distinguisher),
});

export interface Sent {
  readonly request: LimitedRequest;
  verdict: Verdict | 'waiting';
}

export interface QueueSetFixture {
  readonly clock: SimulatedClock;
  readonly set: QueueSet;
  /** Why requests were refused, in order. */
  readonly refusals: Refusal[];
  /** Requests in the order in which they began to execute. */
  readonly started: LimitedRequest[];
  notSeated: number;
  idles: number;
  epochs: number;
  send(flow: Flow, work?: WorkEstimate): Sent;
}

/** A queue set on virtual time that remembers what happened. For tests. */
export function createFixture(changes: Partial<QueueSetConfiguration> = {}): QueueSetFixture {
  const clock = createSimulatedClock();
  const refusals: Refusal[] = [];
  const started: LimitedRequest[] = [];
  const seen = { notSeated: 0, idles: 0, epochs: 0 };
  const observer: QueueSetObserver<Flow> = {
    enqueued() {},
    waiting() {},
    executing: (request, change) => void (change === 1 && started.push(request)),
    seated() {},
    refused: (_, why) => void refusals.push(why),
    notSeated: () => void seen.notSeated++,
    epochAdvanced: () => void seen.epochs++,
    idle: () => void seen.idles++,
  };
  const set = new QueueSet(clock, configured(changes), observer);
  return Object.assign(seen, {
    clock,
    set,
    refusals,
    started,
    send(flow: Flow, work: WorkEstimate = ONE_SEAT): Sent {
      const request = new LimitedRequest(flow, work);
      const sent: Sent = { request, verdict: set.arrive(request) };
      if (sent.verdict === 'waiting') request.onVerdict = (verdict) => void (sent.verdict = verdict);
      return sent;
    },
  });
}

export const configured = (changes: Partial<QueueSetConfiguration> = {}): QueueSetConfiguration => ({
  queuing: { queues: 16, handSize: 4, queueLengthLimit: 10 },
  waitLimitMs: 15_000,
  concurrencyLimit: 2,
  ...changes,
});
