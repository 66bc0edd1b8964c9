import { describe, expect, it } from 'vitest';
import { orElse } from '../../../base/async/soon.ts';
import { createSimulatedClock } from '../../../base/clock/simulated.ts';
import { createInMemoryCaller } from '../in-memory.ts';
import type { Next } from '../pipeline.ts';
import { textResponse } from '../../../base/http/text-response.ts';
import { createDeadline } from './deadline.ts';
import { contextOf } from './context.fixture.ts';

const LIMIT_MS = 60_000;

/**
 * Creates a server with the deadline stage and the handler `work`. An error becomes a response with its code.
 */
function serve(work: Next) {
  const clock = createSimulatedClock();
  const stage = createDeadline({ clock, limitMs: LIMIT_MS });
  const caller = createInMemoryCaller((request) =>
    orElse(
      () => stage.run(contextOf(request), work),
      (refusal) => {
        const { code, message } = refusal as { code: number; message: string };
        return textResponse(code, message);
      },
    ),
  );
  return { clock, get: (url: string) => caller.request('GET', url) };
}

const PODS = '/api/v1/namespaces/a/pods';

describe('the deadline', () => {
  it('ends a request after the limit and aborts its work', async () => {
    const signals: AbortSignal[] = [];
    const { clock, get } = serve(({ http }) => {
      signals.push(http.signal);
      return new Promise(() => {});
    });
    const first = get(PODS);
    await clock.advance(LIMIT_MS / 2);
    const second = get(PODS);
    await clock.advance(LIMIT_MS / 2);
    expect((await first).status).toBe(504);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    expect(signals[0]?.reason).toMatchObject({ code: 504 });
    await clock.advance(LIMIT_MS / 2);
    expect((await second).status).toBe(504);
    expect(await (await second).text()).toContain(
      'Timeout: request did not complete within the allotted timeout',
    );
  });

  it.each([
    ['2.5s', 2_500],
    ['59s', 59_000],
    ['2m', LIMIT_MS],
    ['0s', LIMIT_MS],
    ['-1s', LIMIT_MS],
    ['', LIMIT_MS],
  ])("uses the request's timeout if it is shorter than the limit: %s", async (timeout, dueMs) => {
    const signals: AbortSignal[] = [];
    const { clock, get } = serve(({ http }) => {
      signals.push(http.signal);
      return new Promise(() => {});
    });
    const answer = get(`${PODS}?timeout=${timeout}`);
    await clock.advance(dueMs - 1);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    await clock.advance(1);
    expect((await answer).status).toBe(504);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('rejects an unreadable timeout, except for a watch', async () => {
    const { get } = serve(() => textResponse(200, 'done'));
    const answer = await get(`${PODS}?timeout=soon`);
    expect([answer.status, await answer.text()]).toEqual([
      400,
      'invalid timeout specified in the request URL - time: invalid duration "soon"',
    ]);
    expect((await get(`${PODS}?watch=true&timeout=soon`)).status).toBe(200);
  });

  it('never aborts a request that completed in time', async () => {
    const signals: AbortSignal[] = [];
    const { clock, get } = serve(async ({ http }) => {
      signals.push(http.signal);
      return textResponse(200, 'done');
    });
    expect((await get(PODS)).status).toBe(200);
    await clock.advance(LIMIT_MS * 2);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });

  it('never ends a watch', async () => {
    let answer: (text: string) => void = () => {};
    const { clock, get } = serve(
      () => new Promise((resolve) => (answer = (text) => resolve(textResponse(200, text)))),
    );
    const watch = get(`${PODS}?watch=true`);
    await clock.advance(LIMIT_MS * 10);
    answer('still here');
    expect((await watch).status).toBe(200);
  });
});
