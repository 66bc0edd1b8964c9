import { describe, expect, it } from 'vitest';
import { type Sent, configured, createFixture, flowOf } from './queue-set.fixture.ts';
import type { WorkEstimate } from './work.ts';

const [ann, bob, cat] = [flowOf('ann'), flowOf('bob'), flowOf('cat')];
const wide = (initialSeats: number): WorkEstimate => ({
  initialSeats,
  finalSeats: 0,
  additionalLatencyMs: 0,
});
const verdicts = (sent: readonly Sent[]) => sent.map(({ verdict }) => verdict);

describe('queue set', () => {
  it('executes a request immediately and without a timer while seats are free', () => {
    const { set, send, clock } = createFixture();
    expect(verdicts([send(ann), send(ann)])).toEqual(['execute', 'execute']);
    expect(set.seatsInUse).toBe(2);
    expect(clock.pending).toBe(0);
  });

  it('queues a request without a free seat, and dispatches it when a seat is free', () => {
    const { set, send, clock } = createFixture({ concurrencyLimit: 1 });
    const [first, second] = [send(ann), send(ann)];
    expect(second.verdict).toBe('waiting');
    set.finish(first.request);
    expect(second.verdict).toBe('execute');
    expect(clock.pending).toBe(0);
  });

  it('dispatches the requests of one queue in arrival order', () => {
    const fixture = createFixture({
      concurrencyLimit: 1,
      queuing: { queues: 1, handSize: 1, queueLengthLimit: 10 },
    });
    const sent = [ann, bob, ann, cat].map((flow) => fixture.send(flow));
    for (let at = 0; at < sent.length; at++) {
      const [running] = fixture.started.slice(-1);
      if (running !== undefined) fixture.set.finish(running);
    }
    expect(fixture.started).toEqual(sent.map(({ request }) => request));
  });

  it('rejects a request if its queue is full', () => {
    const { send, rejections } = createFixture({
      concurrencyLimit: 1,
      queuing: { queues: 1, handSize: 1, queueLengthLimit: 2 },
    });
    expect(verdicts([send(ann), send(ann), send(ann), send(ann)])).toEqual([
      'execute',
      'waiting',
      'waiting',
      'reject',
    ]);
    expect(rejections).toEqual(['queue-full']);
  });

  it('rejects a request only after it has waited for the limit', async () => {
    const { send, rejections, clock } = createFixture({ concurrencyLimit: 1 });
    send(ann);
    const waiting = send(ann);
    await clock.advance(14_999);
    expect(waiting.verdict).toBe('waiting');
    await clock.advance(1);
    expect(waiting.verdict).toBe('reject');
    expect(rejections).toEqual(['time-out']);
    expect(clock.pending).toBe(0);
  });

  it('drops a request whose client disconnected, without an outcome', () => {
    const { set, send, rejections } = createFixture({ concurrencyLimit: 1 });
    const [first, gone, next] = [send(ann), send(ann), send(ann)];
    expect(set.leave(gone.request)).toBe(true);
    expect(set.leave(gone.request)).toBe(false);
    set.finish(first.request);
    expect(verdicts([gone, next])).toEqual(['waiting', 'execute']);
    expect(rejections).toEqual(['cancelled']);
  });

  it('rejects a request immediately if it has no queues', () => {
    const { send, rejections } = createFixture({ concurrencyLimit: 1, queuing: undefined });
    expect(verdicts([send(ann), send(ann)])).toEqual(['execute', 'reject']);
    expect(rejections).toEqual(['concurrency-limit']);
  });

  it('ends a request once, however often the request is finished', () => {
    const { set, send } = createFixture();
    const [first] = [send(ann), send(ann)];
    set.finish(first.request);
    set.finish(first.request);
    expect([set.executingCount, set.seatsInUse]).toEqual([1, 1]);
  });

  it('reports that it is idle once no request executes or waits', () => {
    const fixture = createFixture({ concurrencyLimit: 1 });
    const [first, second] = [fixture.send(ann), fixture.send(ann)];
    fixture.set.finish(first.request);
    expect(fixture.idles).toBe(0);
    fixture.set.finish(second.request);
    expect(fixture.idles).toBe(1);
  });

  it('rejects waiting requests when it is closed', () => {
    const { set, send, clock } = createFixture({ concurrencyLimit: 1 });
    send(ann);
    const waiting = send(bob);
    set.close();
    expect([waiting.verdict, send(cat).verdict]).toEqual(['reject', 'reject']);
    expect(clock.pending).toBe(0);
  });
});

describe('seats', () => {
  it('accumulate for a wide request, which no later request of its queue overtakes', () => {
    const queuing = { queues: 1, handSize: 1, queueLengthLimit: 10 };
    const fixture = createFixture({ concurrencyLimit: 4, queuing });
    const small = [fixture.send(ann), fixture.send(ann)];
    const large = fixture.send(bob, wide(4));
    const later = fixture.send(bob);
    expect(verdicts([large, later])).toEqual(['waiting', 'waiting']);
    expect(fixture.notSeated).toBeGreaterThan(0);
    for (const { request } of small) fixture.set.finish(request);
    expect(verdicts([large, later])).toEqual(['execute', 'waiting']);
    fixture.set.finish(large.request);
    expect(later.verdict).toBe('execute');
  });

  it('go to a request wider than the level once it would execute alone', () => {
    const { set, send } = createFixture({ concurrencyLimit: 4 });
    const first = send(ann);
    const large = send(bob, wide(10));
    expect(large.verdict).toBe('waiting');
    set.finish(first.request);
    expect([large.verdict, set.seatsInUse]).toEqual(['execute', 10]);
  });

  it('stay in use for the additional latency of a write, without delaying the response', async () => {
    const work = { initialSeats: 1, finalSeats: 2, additionalLatencyMs: 5 };
    const { set, send, clock } = createFixture();
    const write = send(ann, work);
    set.finish(write.request);
    expect([set.executingCount, set.seatsInUse]).toEqual([0, 2]);
    const next = send(bob);
    expect(next.verdict).toBe('waiting');
    await clock.advance(4);
    expect(next.verdict).toBe('waiting');
    await clock.advance(1);
    expect(next.verdict).toBe('execute');
  });

  it('are released without a timer if no request waits', async () => {
    const work = { initialSeats: 1, finalSeats: 2, additionalLatencyMs: 5 };
    const { set, send, clock } = createFixture();
    set.finish(send(ann, work).request);
    expect(clock.pending).toBe(0);
    await clock.advance(5);
    set.refresh();
    expect(set.seatsInUse).toBe(0);
  });

  it('beyond the limit of the level lengthen the final stage of a request instead', () => {
    const { send } = createFixture({ concurrencyLimit: 2 });
    const { request } = send(ann, { initialSeats: 1, finalSeats: 8, additionalLatencyMs: 5 });
    expect(request.work).toEqual({ initialSeats: 1, finalSeats: 2, additionalLatencyMs: 20 });
  });

  it('are released after one second if the client reads its response slowly', async () => {
    const { set, send, clock } = createFixture({ concurrencyLimit: 1 });
    const slow = send(ann);
    set.answered(slow.request);
    const next = send(bob);
    await clock.advance(999);
    expect(next.verdict).toBe('waiting');
    await clock.advance(1);
    expect(next.verdict).toBe('execute');
    set.finish(slow.request);
    expect(set.executingCount).toBe(1);
  });
});

describe('slow response that completes just when its seats are released', () => {
  it('releases its seats once', async () => {
    const { set, send, clock } = createFixture({ concurrencyLimit: 1 });
    const { request } = send(ann);
    set.answered(request);
    await clock.advance(1_000);
    set.finish(request);
    expect([set.executingCount, set.seatsInUse, send(bob).verdict]).toEqual([0, 0, 'execute']);
  });
});

describe('change of the configuration', () => {
  it('dispatches requests for which seats are now free', () => {
    const { set, send } = createFixture({ concurrencyLimit: 1 });
    const sent = [send(ann), send(ann), send(bob)];
    set.configure(configured({ concurrencyLimit: 3 }));
    expect(verdicts(sent)).toEqual(['execute', 'execute', 'execute']);
  });

  it('keeps all waiting requests even with fewer queues or none', () => {
    const { set, send, started } = createFixture({ concurrencyLimit: 1 });
    const sent = [ann, bob, cat, ann, bob, cat].map((flow) => send(flow));
    set.configure(
      configured({ concurrencyLimit: 1, queuing: { queues: 2, handSize: 1, queueLengthLimit: 1 } }),
    );
    set.configure(configured({ concurrencyLimit: 1, queuing: undefined }));
    expect(send(ann).verdict).toBe('reject');
    for (const { request } of sent) {
      void request;
      const running = started.at(-1);
      if (running !== undefined) set.finish(running);
    }
    expect(verdicts(sent)).toEqual(sent.map(() => 'execute'));
    expect([set.isIdle, set.queues.length]).toEqual([true, 0]);
  });
});

describe('progress meter', () => {
  it('advances by the seats in use, divided among the busy queues', async () => {
    const { set, send, clock } = createFixture({ concurrencyLimit: 4 });
    send(ann);
    send(ann);
    await clock.advance(1_000);
    set.refresh();
    // Two queues of the same hand, with one seat each.
    expect(set.progress).toBeCloseTo(1, 6);
  });

  it('is wound back before its readings lose precision', async () => {
    const fixture = createFixture({ concurrencyLimit: 1_000_000 });
    fixture.send(ann, wide(1_000_000));
    await fixture.clock.advance(2_000_000);
    fixture.set.refresh();
    expect(fixture.epochs).toBe(1);
    const [queue] = fixture.set.queues.filter(({ executing }) => executing > 0);
    expect(queue?.nextDispatch).toBeLessThanOrEqual(fixture.set.progress);
  });
});
