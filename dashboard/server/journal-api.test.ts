import { describe, expect, it, onTestFinished } from 'vitest';
import { createMachine } from 'xstate';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import type { BodySink, HttpResponse } from '../../base/http/message.ts';
import { createJournal, readJournalFile } from '../../runtime/index.ts';
import { createPictures } from '../chart/pictures.ts';
import { parseExposition } from './exposition.ts';
import { type JournalApiOptions, createJournalApi } from './journal-api.ts';
import { createServerFacts } from './server-facts.ts';

const machine = createMachine({
  id: 'c',
  initial: 'a',
  states: { a: { always: 'b' }, b: { type: 'final' } },
});

function setUp(options: Partial<JournalApiOptions> = {}) {
  const clock = createSimulatedClock(Date.UTC(2026, 0, 1));
  const journal = createJournal({ clock });
  const api = createJournalApi({
    journal,
    clock,
    pictures: createPictures(),
    machines: () => new Map([['c', machine]]),
    ...options,
  });
  onTestFinished(() => api.stop());
  const call = async (url: string, method = 'GET'): Promise<HttpResponse> =>
    api.handler({
      method,
      url: `/journal/v1${url}`,
      headers: {},
      body: async () => new Uint8Array(),
      signal: new AbortController().signal,
      peer: { address: '127.0.0.1' },
    });
  return { clock, journal, api, call };
}

const textOf = ({ body }: HttpResponse): string => {
  if (typeof body === 'function') throw new Error('the response is a stream');
  return Buffer.concat(body instanceof Uint8Array ? [body] : [...body]).toString();
};

/** Records the events of a stream. `room` returns false to simulate a full connection. */
function listen({ body }: HttpResponse, room = () => true) {
  if (typeof body !== 'function') throw new Error('the response is not a stream');
  const sent: string[] = [];
  let drained = (): void => {};
  let close = (): void => {};
  let closed = false;
  const sink: BodySink = {
    write(chunk) {
      sent.push(Buffer.from(chunk).toString());
      return room();
    },
    onDrain: (run) => (drained = run),
    onClose: (run) => (close = run),
    end() {
      closed = true;
      close();
    },
    get closed() {
      return closed;
    },
  };
  body(sink);
  return { sent, drain: () => drained(), leave: () => sink.end(), isClosed: () => closed };
}

describe('the journal API', () => {
  it('returns documents, and 404 for unknown paths', async () => {
    const { journal, call } = setUp();
    journal.record({ kind: 'reconcile.started', controller: 'c', key: 'k', reconcileId: 'c-1' });
    expect(JSON.parse(textOf(await call('')))).toMatchObject({
      kind: 'Journal',
      version: 1,
      entries: 1,
      lastSeq: 1,
    });
    expect(JSON.parse(textOf(await call('/entries')))).toMatchObject({ items: [{ seq: 1, key: 'k' }] });
    expect(JSON.parse(textOf(await call('/machines/c')))).toMatchObject({ chart: { id: 'c' } });
    for (const path of ['/nothing', '/controllers/x', '/machines/x', '/inspect'])
      expect([path, (await call(path)).status]).toEqual([path, 404]);
    expect((await call('/controllers', 'DELETE')).status).toBe(405);
  });

  it('returns the next runs of a schedule in its time zone, and 400 for an invalid schedule', async () => {
    const { call } = setUp();
    const found = JSON.parse(textOf(await call('/next-runs?schedule=@hourly&timeZone=Etc/UTC')));
    expect(found).toMatchObject({ kind: 'NextRuns', timeZone: 'Etc/UTC' });
    expect(found.runs[0]).toEqual({ atMs: Date.UTC(2026, 0, 1, 1), offsetMs: 0 });
    const refused = await call('/next-runs?schedule=never');
    expect([refused.status, textOf(refused)]).toEqual([400, expect.stringContaining('expected exactly 5')]);
  });

  it('returns the states of objects, pages of objects, and the picture of each lifecycle', async () => {
    const asked: unknown[] = [];
    const lifecycles = {
      read: async () => ({ kind: 'Lifecycles' as const, atMs: 1, sinceMs: 0, items: [] }),
      objects: async (id: string, query: object) => {
        asked.push(query);
        return id === 'job'
          ? { kind: 'LifecycleObjects' as const, atMs: 1, total: 0, offset: 0, items: [] }
          : undefined;
      },
      stop: async () => {},
    };
    const { clock, call } = setUp({ lifecycles });
    expect(JSON.parse(textOf(await call('/lifecycles')))).toMatchObject({ kind: 'Lifecycles' });
    expect((await call('/lifecycles/job/objects?state=Failed&offset=5&limit=2000')).status).toBe(200);
    expect((await call('/lifecycles/job/objects?offset=x&limit=-1')).status).toBe(200);
    expect(asked).toEqual([
      { state: 'Failed', namespace: '', offset: 5, limit: 1_000 },
      { state: undefined, namespace: '', offset: 0, limit: 200 },
    ]);
    for (const path of ['/lifecycles/x/objects', '/lifecycles/job', '/lifecycles/job/objects/x'])
      expect([path, (await call(path)).status]).toEqual([path, 404]);
    expect(JSON.parse(textOf(await call('/machines/lifecycle-job')))).toMatchObject({
      chart: { id: 'lifecycle-job' },
    });
    const { sent } = listen(await call('/lifecycles?watch=true'));
    await clock.advance(10_000);
    expect(sent.length).toBeGreaterThanOrEqual(4);
    expect(sent.length).toBeLessThanOrEqual(6);
  });

  it('has no states of objects without a process that tracks them', async () => {
    const { call } = setUp();
    expect((await call('/lifecycles')).status).toBe(404);
    expect((await call('/lifecycles/job/objects')).status).toBe(404);
  });

  it('exports a readable file with the pictures of its machines', async () => {
    const { journal, call } = setUp();
    journal.record({ kind: 'state', controller: 'c', key: 'k', reconcileId: 'c-1', state: 'a' });
    const file = readJournalFile(textOf(await call('/export')));
    expect(file.entries).toEqual(journal.read());
    expect(file.charts['c']).toMatchObject({ chart: { id: 'c' } });
  });

  it('exports the entries after a number, without pictures', async () => {
    const { journal, call } = setUp();
    for (const key of ['a', 'b']) journal.record({ kind: 'enqueued', controller: 'c', key });
    const file = readJournalFile(textOf(await call('/export?since=1')));
    expect(file.entries.map(({ key }) => key)).toEqual(['b']);
    expect(file.charts).toEqual({});
    expect((await call('/export?since=b')).status).toBe(400);
  });

  it('sends a document at most twice a second, even if the journal changes more often', async () => {
    const { clock, journal, call } = setUp();
    const { sent } = listen(await call('/controllers?watch=true'));
    await clock.advance(0);
    for (let at = 0; at < 100; at++) {
      for (let each = 0; each < 20; each++)
        journal.record({ kind: 'enqueued', controller: 'c', key: `k${each}` });
      await clock.advance(10);
    }
    expect(sent.length).toBeGreaterThanOrEqual(2);
    expect(sent.length).toBeLessThanOrEqual(4);
    expect(sent.at(-1)).toMatch(/^data: \{.*\}\n\n$/);
  });

  it('sends each new entry once, and no entry while the connection is full', async () => {
    const { clock, journal, call } = setUp();
    let room = false;
    const stream = listen(await call('/entries?controller=c&watch=true'), () => room);
    const record = (key: string): void => journal.record({ kind: 'enqueued', controller: 'c', key });
    record('a');
    await clock.advance(600);
    record('b');
    await clock.advance(600);
    expect(stream.sent).toHaveLength(1);
    room = true;
    stream.drain();
    await clock.advance(600);
    const seen = stream.sent.flatMap((text) =>
      (JSON.parse(text.slice(6)) as { items: { key: string }[] }).items.map(({ key }) => key),
    );
    expect(seen).toEqual(['a', 'b']);
  });

  it('ends its streams when it stops, and stops its timers when a client disconnects', async () => {
    const { clock, api, call } = setUp();
    const [one, other] = [
      listen(await call('/controllers?watch=true')),
      listen(await call('/controllers?watch=true')),
    ];
    await clock.advance(0);
    one.leave();
    await clock.advance(5_000);
    expect(one.sent).toHaveLength(1);
    await api.stop();
    expect(other.isClosed()).toBe(true);
    expect((await call('/controllers?watch=true')).status).toBe(429);
  });

  it('serves inspector events if enabled', async () => {
    const { clock, journal, call } = setUp({ inspector: true });
    const { sent } = listen(await call('/inspect'));
    journal.record({
      kind: 'state',
      controller: 'c',
      key: 'k',
      reconcileId: 'c-1',
      state: 'a',
      event: 'xstate.init',
    });
    await clock.advance(600);
    expect(sent.join('')).toContain('"type":"@xstate.snapshot"');
  });
});

describe('createServerFacts', () => {
  const metrics = (requests: number, errors: number): string =>
    [
      'apiserver_request_total{verb="GET",code="200"} ' + String(requests),
      'apiserver_request_total{verb="PUT",code="500"} ' + String(errors),
      'apiserver_request_duration_seconds_bucket{le="0.005",verb="GET"} ' + String(requests),
      'apiserver_request_duration_seconds_bucket{le="0.1",verb="GET"} ' + String(requests + errors),
      'apiserver_request_duration_seconds_bucket{le="+Inf",verb="GET"} ' + String(requests + errors),
      'apiserver_registered_watchers{kind="Pod"} 3',
      'apiserver_registered_watchers{kind="a \\"quoted\\" kind"} 2',
    ].join('\n');

  it('computes rates from two readings of the metrics', async () => {
    const clock = createSimulatedClock(0);
    let text = metrics(100, 0);
    const facts = createServerFacts({ clock, expose: async () => ({ text }), revision: async () => '7' });
    expect(await facts()).toMatchObject({ requestsPerSecond: 0, watchers: 5, revision: '7' });
    text = metrics(118, 2);
    expect((await facts()).requestsPerSecond).toBe(0);
    await clock.advance(2_000);
    expect(await facts()).toMatchObject({ requestsPerSecond: 10, errorsPerSecond: 1, p50Ms: 5, p99Ms: 100 });
  });

  it('parses the lines of the selected metrics with their labels', () =>
    expect(parseExposition('# HELP a b\na{x="1",y="q\\"r"} 2\nab 3\n', new Set(['a']))).toEqual([
      { name: 'a', labels: { x: '1', y: 'q\\"r' }, value: 2 },
    ]));
});
