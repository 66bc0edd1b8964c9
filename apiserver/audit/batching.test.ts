import { describe, expect, it } from 'vitest';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { createLosses, createRecorder, eventOf } from './audit.fixture.ts';
import { type BatchingOptions, createBatching } from './batching.ts';

function start(options: Partial<BatchingOptions> = {}, outcome?: () => boolean | Promise<boolean>) {
  const clock = createSimulatedClock();
  const recorder = createRecorder(outcome);
  const { losses, lost } = createLosses();
  const batching = createBatching({
    backend: recorder.backend,
    clock,
    lost,
    bufferSize: 10,
    maxSize: 3,
    maxWaitMs: 30_000,
    concurrent: true,
    ...options,
  });
  const send = (...ids: readonly string[]) => ids.map((id) => batching.process([eventOf(id)]));
  return { clock, recorder, losses, batching, send };
}

/** Outcomes that come when the test says so. */
function createHeld() {
  const waiting: (() => void)[] = [];
  return {
    outcome: () => new Promise<boolean>((resolve) => waiting.push(() => resolve(true))),
    release: () => {
      for (const run of waiting.splice(0)) run();
    },
    waiting,
  };
}

describe('a buffer of audit events', () => {
  it('sends a full batch at once, a part of one when its first event has waited long enough', async () => {
    const { clock, recorder, send } = start();
    send('1', '2', '3', '4');
    expect(recorder.ids).toEqual([['1', '2', '3']]);
    await clock.advance(29_999);
    expect(recorder.ids).toHaveLength(1);
    await clock.advance(1);
    expect(recorder.ids).toEqual([['1', '2', '3'], ['4']]);
    expect(clock.pending).toBe(0);
  });

  it('never lets a request wait, nor fail', () => {
    const { send } = start({}, () => new Promise(() => {}));
    expect(send('1', '2', '3', '4')).toEqual([true, true, true, true]);
  });

  it('holds batches to a rate, after so many at once', async () => {
    const { clock, recorder, send } = start({ maxSize: 1, throttle: { qps: 2, burst: 2 } });
    send('1', '2', '3', '4');
    expect(recorder.ids).toEqual([['1'], ['2']]);
    await clock.advance(500);
    expect(recorder.ids).toEqual([['1'], ['2'], ['3']]);
    await clock.advance(500);
    expect(recorder.ids).toHaveLength(4);
  });

  it('sends one batch after another where they must keep their order', async () => {
    const held = createHeld();
    const { clock, recorder, send } = start({ maxSize: 1, concurrent: false }, held.outcome);
    send('1', '2');
    expect(recorder.ids).toEqual([['1']]);
    held.release();
    await clock.advance(0);
    expect(recorder.ids).toEqual([['1'], ['2']]);
  });

  it('loses what comes while it is full, and says so', () => {
    const { losses, send } = start({ bufferSize: 2 });
    send('1', '2', '3');
    expect(losses).toEqual([['buffered', 'audit buffer queue blocked', ['3']]]);
  });

  it('sends all that waits before it stops, whatever the rate, and stops what is behind it last', async () => {
    const held = createHeld();
    const { recorder, send, batching } = start({ throttle: { qps: 1, burst: 1 } }, held.outcome);
    send('1', '2', '3', '4', '5', '6', '7');
    const stopped = batching.stop();
    expect(recorder.ids).toEqual([['1', '2', '3'], ['4', '5', '6'], ['7']]);
    held.release();
    await stopped;
    expect(recorder.backend.stopped).toBe(true);
  });

  it('sends all that waits before it stops, in order where that is asked for', async () => {
    const { recorder, send, batching } = start({ concurrent: false }, () => Promise.resolve(true));
    send('1', '2', '3', '4', '5');
    await batching.stop();
    expect(recorder.ids).toEqual([
      ['1', '2', '3'],
      ['4', '5'],
    ]);
  });

  it('reports what comes after the stop as lost', async () => {
    const { losses, send, batching } = start();
    await batching.stop();
    send('1');
    expect(losses).toEqual([['buffered', 'audit backend shut down', ['1']]]);
  });
});
