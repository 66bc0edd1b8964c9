import { describe, expect, it } from 'vitest';
import { type ApiObject, defineKind } from '../../api/kinds/kind.ts';
import { createScheme } from '../../api/kinds/scheme.ts';
import { struct } from '../../api/schema/schema.ts';
import type { Event } from '../../api/types/core-v1.ts';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import type { HttpHandler } from '../../base/http/message.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { createInMemoryTransport } from '../client/in-memory-transport.ts';
import { createClient } from '../client/rest-client.ts';
import { type EventRecorderOptions, createEventRecorder } from './event-recorder.ts';

const events = defineKind<Event>({
  group: '',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
  schema: struct('test.Event', {}),
});
const scheme = createScheme(orchVocabulary, [events]);
const job: ApiObject = {
  kind: 'Job',
  apiVersion: 'batch/v1',
  metadata: { name: 'web', namespace: 'team', uid: 'u1', resourceVersion: '7' },
};

interface Sent {
  readonly method: string;
  readonly url: string;
  readonly body: Partial<Event>;
}

function setUp(answer: (sent: Sent) => number = () => 201, more: Partial<EventRecorderOptions> = {}) {
  const clock = createSimulatedClock();
  const sent: Sent[] = [];
  const handler: HttpHandler = async (request) => {
    const body = JSON.parse(new TextDecoder().decode(await request.body(1e6))) as Partial<Event>;
    const each = { method: request.method, url: request.url, body };
    sent.push(each);
    const status = answer(each);
    if (status === 0) throw new Error('reset');
    return { status, headers: {}, body: new TextEncoder().encode('{}') };
  };
  const client = createClient({
    scheme,
    transport: createInMemoryTransport({ handler }),
    clock,
    log: silentLogger,
    userAgent: 'test',
  });
  const recorder = createEventRecorder({
    client,
    scheme,
    component: 'tester',
    clock,
    random: createSeededRandom(1),
    log: silentLogger,
    ...more,
  });
  return { clock, sent, recorder };
}

describe('createEventRecorder', () => {
  it('writes a core/v1 Event about the object in its namespace', async () => {
    const { clock, sent, recorder } = setUp();
    await recorder.start();
    recorder.record(job, 'Normal', 'Created', 'made it');
    await clock.advance(0);
    expect(sent).toEqual([
      {
        method: 'POST',
        url: '/api/v1/namespaces/team/events',
        body: {
          kind: 'Event',
          apiVersion: 'v1',
          metadata: { name: expect.stringMatching(/^web\.[0-9a-f]{15,16}$/), namespace: 'team' },
          involvedObject: {
            kind: 'Job',
            namespace: 'team',
            name: 'web',
            uid: 'u1',
            apiVersion: 'batch/v1',
            resourceVersion: '7',
          },
          reason: 'Created',
          message: 'made it',
          source: { component: 'tester' },
          firstTimestamp: '2026-01-01T00:00:00Z',
          lastTimestamp: '2026-01-01T00:00:00Z',
          count: 1,
          type: 'Normal',
          reportingComponent: '',
          reportingInstance: '',
        },
      },
    ]);
  });

  it('separates the names, counts and budgets of components', async () => {
    const { clock, sent, recorder } = setUp();
    await recorder.start();
    const other = recorder.from('job-controller');
    for (const each of [recorder, other, other]) {
      each.record(job, 'Normal', 'Created', 'made it');
      await clock.advance(0);
    }
    expect(sent.map(({ body }) => [body.source?.component, body.count])).toEqual([
      ['tester', 1],
      ['job-controller', 1],
      [undefined, 2],
    ]);
    for (let i = 0; i < 40; i++) recorder.record(job, 'Normal', `R${i}`, 'm');
    await clock.advance(0);
    sent.length = 0;
    other.record(job, 'Normal', 'Another', 'm');
    await clock.advance(0);
    expect(sent).toHaveLength(1);
  });

  it('writes events about cluster-scoped objects to the namespace default', async () => {
    const { clock, sent, recorder } = setUp();
    await recorder.start();
    recorder.record({ kind: 'Node', apiVersion: 'v1', metadata: { name: 'n' } }, 'Normal', 'Ready', 'is');
    await clock.advance(0);
    expect(sent[0]?.url).toBe('/api/v1/namespaces/default/events');
  });

  it('replaces an object name that is invalid for Events', async () => {
    const { clock, sent, recorder } = setUp();
    await recorder.start();
    recorder.record({ ...job, metadata: { name: 'system:x' } }, 'Normal', 'R', 'm');
    await clock.advance(0);
    expect(sent[0]?.body.metadata?.name).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('counts equal events regardless of the time between them', async () => {
    const { clock, sent, recorder } = setUp();
    await recorder.start();
    for (const waitMs of [60_000, 600_001, 0]) {
      recorder.record(job, 'Warning', 'Failed', 'no');
      await clock.advance(waitMs);
    }
    expect(sent.map(({ method }) => method)).toEqual(['POST', 'PATCH', 'PATCH']);
    expect(sent[2]?.body.count).toBe(3);
    expect(sent[1]?.url).toBe(`/api/v1/namespaces/team/events/${sent[0]?.body.metadata?.name}`);
    expect(sent[1]?.body).toEqual({ count: 2, lastTimestamp: '2026-01-01T00:01:00Z', message: 'no' });
  });

  it('creates a counted event again after the server has deleted it', async () => {
    const { clock, sent, recorder } = setUp(({ method }) => (method === 'PATCH' ? 404 : 201));
    await recorder.start();
    recorder.record(job, 'Normal', 'R', 'm');
    await clock.advance(0);
    recorder.record(job, 'Normal', 'R', 'm');
    await clock.advance(0);
    expect(sent.map(({ method }) => method)).toEqual(['POST', 'PATCH', 'POST']);
    expect(sent[2]?.body.count).toBe(2);
  });

  it('combines events with the same reason from the tenth message on', async () => {
    const { clock, sent, recorder } = setUp();
    await recorder.start();
    for (let i = 0; i < 13; i++) {
      recorder.record(job, 'Warning', 'Failed', `try ${i}`);
      await clock.advance(0);
    }
    expect(sent.slice(8).map(({ method, body }) => [method, body.message])).toEqual([
      ['POST', 'try 8'],
      ['POST', '(combined from similar events): try 9'],
      ['PATCH', '(combined from similar events): try 10'],
      ['PATCH', '(combined from similar events): try 11'],
      ['PATCH', '(combined from similar events): try 12'],
    ]);
  });

  it('limits an object to 25 events at once and one event in five minutes', async () => {
    const { clock, sent, recorder } = setUp();
    await recorder.start();
    const flood = async (): Promise<number> => {
      sent.length = 0;
      for (let i = 0; i < 40; i++) {
        recorder.record(job, 'Normal', `R${i}`, 'm');
        await clock.advance(0);
      }
      return sent.length;
    };
    expect(await flood()).toBe(25);
    await clock.advance(300_000);
    expect(await flood()).toBe(1);
  });

  it('drops the newest events of a full buffer without waiting or throwing', async () => {
    const { clock, sent, recorder } = setUp(undefined, { bufferSize: 2 });
    for (const name of ['a', 'b', 'c']) recorder.record({ ...job, metadata: { name } }, 'Normal', 'R', 'm');
    await recorder.start();
    await clock.advance(0);
    expect(sent.map(({ body }) => body.involvedObject?.name)).toEqual(['a', 'b']);
    recorder.record({ ...job, metadata: { name: 'c' } }, 'Normal', 'R', 'm');
    await clock.advance(0);
    expect(sent.at(-1)?.body).toMatchObject({ involvedObject: { name: 'c' }, count: 1 });
    expect(() => recorder.record(null as never, 'Normal', 'R', 'm')).not.toThrow();
  });

  it('logs the number of dropped events at intervals of ten seconds', async () => {
    const notified: unknown[] = [];
    const log = { ...silentLogger, warn: (fields: object) => void notified.push(fields) };
    const { clock, recorder } = setUp(undefined, { bufferSize: 1, log });
    const record = (name: string) => recorder.record({ ...job, metadata: { name } }, 'Normal', 'R', 'm');
    for (const name of ['a', 'b', 'c', 'd']) record(name);
    await clock.advance(10_000);
    record('e');
    expect(notified).toEqual([
      { reason: 'R', dropped: 1 },
      { reason: 'R', dropped: 3 },
    ]);
  });

  it('retries with the same name after a broken connection, but not after an error response', async () => {
    let tries = 0;
    const { clock, sent, recorder } = setUp(({ body }) =>
      body.reason === 'Refused' ? 403 : tries++ === 0 ? 0 : 409,
    );
    await recorder.start();
    recorder.record(job, 'Normal', 'R', 'm');
    recorder.record(job, 'Normal', 'Refused', 'm');
    await clock.advance(10_000);
    expect(sent.map(({ body }) => body.reason)).toEqual(['R', 'R', 'Refused']);
    expect(sent[1]?.body.metadata?.name).toBe(sent[0]?.body.metadata?.name);
  });

  it('sends recorded events when it stops, within its time limit', async () => {
    const fine = setUp();
    await fine.recorder.start();
    fine.recorder.record(job, 'Normal', 'R', 'm');
    await fine.recorder.stop();
    expect(fine.sent.length).toBe(1);
    fine.recorder.record(job, 'Normal', 'R', 'late');
    await fine.clock.advance(0);
    expect(fine.sent.length).toBe(1);

    const down = setUp(() => 0);
    await down.recorder.start();
    down.recorder.record(job, 'Normal', 'R', 'm');
    const stopped = down.recorder.stop();
    await down.clock.advance(2_000);
    await stopped;
    expect(down.clock.pending).toBe(0);
  });
});
