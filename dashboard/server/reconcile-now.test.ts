import { expect, it } from 'vitest';
import type { HttpResponse } from '../../base/http/message.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { createJournal } from '../../runtime/index.ts';
import { createPictures } from '../chart/pictures.ts';
import type { ControllerFacts } from '../model/view.ts';
import { createJournalApi } from './journal-api.ts';

const facts = (name: string, own?: boolean): ControllerFacts => ({
  name,
  problems: [],
  watches: [],
  keyed: true,
  ...(own === undefined ? {} : { leader: { holder: 'other-process', own, transitions: 1 } }),
});

/** Sends a request to an API with the controllers `free`, `led` and `standby`, which all know the key `a/b`. */
async function send(query: string, requester?: string, method = 'POST') {
  const clock = createSimulatedClock(Date.UTC(2026, 0, 1));
  const journal = createJournal({ clock });
  for (const controller of ['free', 'led', 'standby'])
    journal.record({ kind: 'reconcile.started', controller, key: 'a/b', reconcileId: `${controller}-1` });
  const enqueued: unknown[] = [];
  const api = createJournalApi({
    journal,
    clock,
    pictures: createPictures(),
    machines: () => new Map(),
    facts: async () => ({
      controllers: [facts('free'), facts('led', true), facts('standby', false)],
      informers: [],
      shared: false,
      replicas: [],
    }),
    enqueue: (...request) => void enqueued.push(request),
  });
  const request = {
    method,
    url: `/journal/v1/reconcile?${query}`,
    headers: { 'x-requester': ['mallory'] },
    body: async () => new Uint8Array(),
    signal: new AbortController().signal,
    peer: { address: '127.0.0.1' },
  };
  const response: HttpResponse = await api.handler(
    request,
    requester === undefined ? undefined : { username: requester },
  );
  await api.stop();
  return { status: response.status, text: String(response.body), enqueued };
}

it.each(['free', 'led'])('enqueues a key of the controller %s for the user who asked', async (controller) => {
  const { status, enqueued } = await send(`controller=${controller}&key=a/b`, 'alice');
  expect([status, enqueued]).toEqual([202, [[controller, 'a/b', 'alice']]]);
});

it.each([
  [
    'a user who is not authenticated',
    'controller=free&key=a/b',
    undefined,
    403,
    'needs an authenticated user',
  ],
  ['a controller that another process leads', 'controller=standby&key=a/b', 'alice', 409, 'other-process'],
  ['an unknown controller', 'controller=none&key=a/b', 'alice', 404, 'no controller'],
  ['a key without a reconcile', 'controller=free&key=a/typo', 'alice', 404, 'no reconcile of'],
  ['a missing key', 'controller=free', 'alice', 400, 'expected the query parameters'],
])('refuses %s', async (_, query, requester, expected, message) => {
  const { status, text, enqueued } = await send(query, requester);
  expect([status, enqueued]).toEqual([expected, []]);
  expect(text).toContain(message);
});

it('refuses a reconcile by GET, which needs only the right to read', async () => {
  const { status, enqueued } = await send('controller=free&key=a/b', 'alice', 'GET');
  expect([status, enqueued]).toEqual([405, []]);
});
