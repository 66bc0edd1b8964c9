import { type SimulatedClock, createSimulatedClock } from '../../base/clock/simulated.ts';
import { type Flow, LimitedRequest, type RejectionReason, type QueueOutcome } from './queue.ts';
import { QueueSet } from './queue-set.ts';
import type { QueueSetObserver } from './queue-set-observer.ts';
import type { QueueSetConfiguration } from './dispatcher.ts';
import { hashFlow } from './shuffle-sharding.ts';
import { ONE_SEAT, type WorkEstimate } from './work.ts';

/** Creates a flow of the schema `test`. */
export const flowOf = (distinguisher: string): Flow => ({
  schema: 'test',
  distinguisher,
  hash: hashFlow('test', distinguisher),
});

/** Request and its latest outcome. */
export interface Sent {
  readonly request: LimitedRequest;
  verdict: QueueOutcome | 'waiting';
}

/** Queue set under test and its observed events. */
export interface QueueSetFixture {
  readonly clock: SimulatedClock;
  readonly set: QueueSet;
  /** Reasons of rejections, in order. */
  readonly rejections: RejectionReason[];
  /** Requests in the order in which they started to execute. */
  readonly started: LimitedRequest[];
  notSeated: number;
  idles: number;
  epochs: number;
  send(flow: Flow, work?: WorkEstimate): Sent;
}

/** Creates a queue set on virtual time that records its events. */
export function createFixture(changes: Partial<QueueSetConfiguration> = {}): QueueSetFixture {
  const clock = createSimulatedClock();
  const rejections: RejectionReason[] = [];
  const started: LimitedRequest[] = [];
  const seen = { notSeated: 0, idles: 0, epochs: 0 };
  const observer: QueueSetObserver<Flow> = {
    enqueued() {},
    waiting() {},
    executing: (request, change) => void (change === 1 && started.push(request)),
    seated() {},
    refused: (_, why) => void rejections.push(why),
    notSeated: () => void seen.notSeated++,
    epochAdvanced: () => void seen.epochs++,
    idle: () => void seen.idles++,
  };
  const set = new QueueSet(clock, configured(changes), observer);
  return Object.assign(seen, {
    clock,
    set,
    rejections,
    started,
    send(flow: Flow, work: WorkEstimate = ONE_SEAT): Sent {
      const request = new LimitedRequest(flow, work);
      const sent: Sent = { request, verdict: set.arrive(request) };
      if (sent.verdict === 'waiting') request.onOutcome = (verdict) => void (sent.verdict = verdict);
      return sent;
    },
  });
}

/** Returns a small configuration with the given changes. */
export const configured = (changes: Partial<QueueSetConfiguration> = {}): QueueSetConfiguration => ({
  queuing: { queues: 16, handSize: 4, queueLengthLimit: 10 },
  waitLimitMs: 15_000,
  concurrencyLimit: 2,
  ...changes,
});
