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

/** Creates outcomes that stay pending until the test releases them. */
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

describe('audit event buffer', () => {
  it('sends a full batch immediately, and a partial batch once its first event has waited for the maximum time', async () => {
    const { clock, recorder, send } = start();
    send('1', '2', '3', '4');
    expect(recorder.ids).toEqual([['1', '2', '3']]);
    await clock.advance(29_999);
    expect(recorder.ids).toHaveLength(1);
    await clock.advance(1);
    expect(recorder.ids).toEqual([['1', '2', '3'], ['4']]);
    expect(clock.pending).toBe(0);
  });

  it('never delays or rejects a request', () => {
    const { send } = start({}, () => new Promise(() => {}));
    expect(send('1', '2', '3', '4')).toEqual([true, true, true, true]);
  });

  it('limits batches to a rate after an initial burst', async () => {
    const { clock, recorder, send } = start({ maxSize: 1, throttle: { qps: 2, burst: 2 } });
    send('1', '2', '3', '4');
    expect(recorder.ids).toEqual([['1'], ['2']]);
    await clock.advance(500);
    expect(recorder.ids).toEqual([['1'], ['2'], ['3']]);
    await clock.advance(500);
    expect(recorder.ids).toHaveLength(4);
  });

  it('sends batches one after another if not concurrent', async () => {
    const held = createHeld();
    const { clock, recorder, send } = start({ maxSize: 1, concurrent: false }, held.outcome);
    send('1', '2');
    expect(recorder.ids).toEqual([['1']]);
    held.release();
    await clock.advance(0);
    expect(recorder.ids).toEqual([['1'], ['2']]);
  });

  it('drops and reports events that arrive while the buffer is full', () => {
    const { losses, send } = start({ bufferSize: 2 });
    send('1', '2', '3');
    expect(losses).toEqual([['buffered', 'audit buffer queue blocked', ['3']]]);
  });

  it('sends all waiting events before it stops, whatever the rate, and stops its back end last', async () => {
    const held = createHeld();
    const { recorder, send, batching } = start({ throttle: { qps: 1, burst: 1 } }, held.outcome);
    send('1', '2', '3', '4', '5', '6', '7');
    const stopped = batching.stop();
    expect(recorder.ids).toEqual([['1', '2', '3'], ['4', '5', '6'], ['7']]);
    held.release();
    await stopped;
    expect(recorder.backend.stopped).toBe(true);
  });

  it('sends all waiting events in order before it stops if not concurrent', async () => {
    const { recorder, send, batching } = start({ concurrent: false }, () => Promise.resolve(true));
    send('1', '2', '3', '4', '5');
    await batching.stop();
    expect(recorder.ids).toEqual([
      ['1', '2', '3'],
      ['4', '5'],
    ]);
  });

  it('reports events that arrive after the stop as lost', async () => {
    const { losses, send, batching } = start();
    await batching.stop();
    send('1');
    expect(losses).toEqual([['buffered', 'audit backend shut down', ['1']]]);
  });
});
