import { describe, expect, it } from 'vitest';
import { parseRequestInfo } from '../../apiserver/http/request/request-info.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { BodyTooLarge, type HttpRequest, type HttpResponse } from '../../base/http/message.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { parsePlan } from '../plan/plan.ts';
import { createStrikes } from '../plan/strikes.ts';
import { createEarlierAnswers } from './earlier-answers.ts';
import { createInterception } from './interception.ts';

const ANSWER: HttpResponse = { status: 200, headers: {}, body: new Uint8Array() };

/** Sends one request to a server that records its requests. */
function start(fault: unknown, method: string, url: string, body = Promise.resolve(new Uint8Array())) {
  const clock = createSimulatedClock();
  const strikes = createStrikes({ plan: parsePlan(JSON.stringify({ rules: [{ fault }] })), seed: 0, clock });
  const older = createEarlierAnswers(clock);
  const intercept = createInterception({ strikes, older, clock, log: silentLogger });
  const leaving = new AbortController();
  let drops = 0;
  const request: HttpRequest = {
    method,
    url,
    headers: {},
    body: () => body,
    signal: leaving.signal,
    drop: () => void drops++,
    peer: { address: '127.0.0.1' },
  };
  const arrived: HttpRequest[] = [];
  const answered = intercept(
    { info: parseRequestInfo(method, url), user: '', userAgent: '' },
    request,
    (carried) => {
      arrived.push(carried);
      return ANSWER;
    },
  );
  return { clock, answered, arrived, leave: () => leaving.abort(), drops: () => drops };
}

const PODS = '/api/v1/namespaces/n/pods';

describe('a request whose sender disconnects', () => {
  it.each(['slow-request', 'slow-response'])(
    'ends %s without an error or a remaining timer',
    async (name) => {
      const { clock, answered, arrived, leave } = start({ name, lasts: '1m' }, 'GET', PODS);
      await clock.advance(1_000);
      leave();
      await expect(answered).resolves.toBeDefined();
      expect(arrived).toHaveLength(name === 'slow-request' ? 0 : 1);
      expect(clock.pending).toBe(0);
    },
  );

  it('opens no watch if the fault leaves it unanswered', async () => {
    const { answered, arrived, leave } = start('unanswered', 'GET', `${PODS}?watch=1`);
    leave();
    await answered;
    expect(arrived).toEqual([]);
  });

  it('is executed with a detached signal if the fault requires it', async () => {
    const { clock, answered, arrived, leave, drops } = start({ name: 'zombie', lasts: '1m' }, 'POST', PODS);
    await answered;
    leave();
    expect([drops(), arrived.length]).toEqual([1, 0]);
    await clock.advance(60_000);
    expect(arrived.map(({ signal }) => signal.aborted)).toEqual([false]);
  });
});

it('a request that is too large to buffer is rejected as API servers do', async () => {
  const tooLarge = Promise.reject(new BodyTooLarge(1));
  const { answered } = start('lost-response', 'POST', PODS, tooLarge);
  await expect(answered).rejects.toMatchObject({ reason: 'RequestEntityTooLarge' });
});
