import { describe, expect, it } from 'vitest';
import { parseRequestInfo } from '../../apiserver/http/request/request-info.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import type { HttpRequest, HttpResponse } from '../../base/http/message.ts';
import type { Passing } from '../plan/matching.ts';
import { createEarlierAnswers } from './earlier-answers.ts';

const URL = '/api/v1/pods';
const passing: Passing = { info: parseRequestInfo('GET', URL), user: '', userAgent: '' };
const request = (headers: HttpRequest['headers'] = {}, url = URL): HttpRequest => ({
  method: 'GET',
  url,
  headers,
  body: () => Promise.resolve(new Uint8Array()),
  signal: new AbortController().signal,
  peer: { address: '127.0.0.1' },
});
const answer = (revision: number, padding = 0): HttpResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(
    JSON.stringify({ metadata: { resourceVersion: String(revision) }, x: 'x'.repeat(padding) }),
  ),
});
const everything = { revisions: 1_000_000, ageMs: Number.POSITIVE_INFINITY };
const never = (): never => {
  throw new Error('the server was asked');
};

function start(mostBytes?: number) {
  const clock = createSimulatedClock();
  const answers = createEarlierAnswers(clock, mostBytes);
  return {
    clock,
    note: async (response: HttpResponse, of = request()): Promise<void> =>
      void (await answers.note?.(passing, of, response)),
    reach: (bounds = everything, of = request()): number => answers.reach(passing, of)(bounds),
    async read(back: number): Promise<string | undefined> {
      const { body } = await answers.read(passing, request(), back, never);
      return /"resourceVersion":"(\d+)"/.exec(Buffer.from(body as Uint8Array).toString())?.[1];
    },
  };
}

describe('earlier responses', () => {
  it('are available from the latest one back to the limits of revision and age', async () => {
    const { note, reach, read, clock } = start();
    for (const revision of [10, 20, 30]) {
      await note(answer(revision));
      await clock.advance(1_000);
    }
    expect(reach()).toBe(3);
    expect([await read(1), await read(3)]).toEqual(['30', '10']);
    expect(reach({ ...everything, revisions: 10 })).toBe(2);
    expect(reach({ ...everything, ageMs: 1_500 })).toBe(1);
  });

  it('do not include repeated responses and error responses', async () => {
    const { note, reach } = start();
    await note(answer(1));
    await note(answer(1));
    await note({ ...answer(2), status: 403 });
    expect(reach()).toBe(1);
  });

  it('are not returned to clients with other credentials, user agents or URLs', async () => {
    const { note, reach } = start();
    await note(answer(1), request({ authorization: ['Bearer a'] }));
    expect(reach(everything, request({ authorization: ['Bearer a'] }))).toBe(1);
    expect(reach(everything, request({ authorization: ['Bearer b'] }))).toBe(0);
    expect(reach(everything, request({ authorization: ['Bearer a'], 'user-agent': ['other'] }))).toBe(0);
    expect(reach(everything, request({ authorization: ['Bearer a'] }, `${URL}?limit=1`))).toBe(0);
  });

  it('stay within their memory limit by dropping the oldest ones', async () => {
    const { note, reach, read } = start(1_000);
    for (const revision of [1, 2, 3, 4, 5]) await note(answer(revision, 300));
    expect(reach()).toBe(2);
    expect(await read(2)).toBe('4');
    await note(answer(6, 600));
    expect(await read(1)).toBe('5');
  });
});
