import { describe, expect, it } from 'vitest';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { createInMemoryOutbound } from '../../base/http/in-memory-outbound.ts';
import type { HttpRequest } from '../../base/http/message.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { createLosses, eventOf } from './audit.fixture.ts';
import { createWebhookBackend } from './webhook-backend.ts';

const ORIGIN = 'https://audit.example:8443';

/**
 * Starts a collector that returns the given statuses in order, then 200. Status 0 stands for a request
 * without response.
 */
function start(...statuses: readonly number[]) {
  const clock = createSimulatedClock();
  const coming = [...statuses];
  const received: { readonly atMs: number; readonly request: HttpRequest; readonly body: unknown }[] = [];
  const began = clock.monotonic();
  const outbound = createInMemoryOutbound(() => ({
    async handler(request) {
      const body: unknown = JSON.parse(Buffer.from(await request.body(1_000_000)).toString());
      received.push({ atMs: clock.monotonic() - began, request, body });
      const status = coming.shift() ?? 200;
      if (status === 0) return new Promise(() => {});
      return { status, headers: {}, body: new Uint8Array() };
    },
  }));
  const { losses, lost } = createLosses();
  const backend = createWebhookBackend({
    remote: {
      peer: { origin: ORIGIN },
      path: '/collect?x=1',
      credentials: () => Promise.resolve({ authorization: 'Bearer t' }),
    },
    outbound,
    vocabulary: kubernetesVocabulary,
    clock,
    random: { ...createSeededRandom(1), next: () => 0 },
    lost,
    initialBackoffMs: 10_000,
  });
  return { clock, received, losses, backend };
}

describe('audit webhook', () => {
  it('receives events in one list, with its credentials', async () => {
    const { received, backend } = start();
    expect(await backend.process([eventOf('1'), eventOf('2')])).toBe(true);
    expect(received).toHaveLength(1);
    const [{ request, body } = { request: undefined, body: undefined }] = received;
    expect([request?.method, request?.url]).toEqual(['POST', '/collect?x=1']);
    expect(request?.headers['authorization']).toEqual(['Bearer t']);
    expect(body).toEqual({
      kind: 'EventList',
      apiVersion: 'audit.k8s.io/v1',
      metadata: {},
      items: [eventOf('1'), eventOf('2')],
    });
  });

  it('receives retries after growing pauses, whatever status it returned', async () => {
    const { clock, received, losses, backend } = start(500, 400, 302);
    const sent = backend.process([eventOf('1')]);
    await clock.advance(100_000);
    expect(await sent).toBe(true);
    expect(received.map(({ atMs }) => atMs)).toEqual([0, 10_000, 25_000, 47_500]);
    expect(losses).toEqual([]);
  });

  it('receives five attempts, after which the events are reported lost without their content', async () => {
    const { clock, received, losses, backend } = start(500, 500, 500, 500, 503, 200);
    const sent = backend.process([eventOf('1')]);
    await clock.advance(200_000);
    expect(await sent).toBe(false);
    expect(received).toHaveLength(5);
    expect(losses).toEqual([['webhook', `unexpected status 503 from ${ORIGIN}`, ['1']]]);
  });

  it('receives a retry after 30 seconds without a response', async () => {
    const { clock, received, backend } = start(0, 200);
    const sent = backend.process([eventOf('1')]);
    await clock.advance(40_000);
    expect(await sent).toBe(true);
    expect(received.map(({ atMs }) => atMs)).toEqual([0, 40_000]);
  });

  it('receives one immediate retry when the server is stopping', async () => {
    const { clock, received, losses, backend } = start(500, 500, 200);
    const sent = backend.process([eventOf('1')]);
    await clock.advance(5_000);
    await backend.stop();
    expect(await sent).toBe(false);
    expect(received.map(({ atMs }) => atMs)).toEqual([0, 5_000]);
    expect(losses).toHaveLength(1);
  });

  it('does not delay the stop if it never responds', async () => {
    const { clock, losses, backend } = start(0, 0);
    void backend.process([eventOf('1')]);
    await clock.advance(1_000);
    const stopped = backend.stop();
    await clock.advance(2_500);
    await stopped;
    expect(losses).toEqual([['webhook', 'server is stopping', ['1']]]);
  });
});
