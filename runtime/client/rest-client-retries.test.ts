import { describe, expect, it } from 'vitest';
import { ClientError } from './client-error.ts';
import type { Transport } from './transport.ts';
import { createInMemoryTransport } from './in-memory-transport.ts';
import { encode, json, never, setUp, status, widget, widgets } from './rest-client.fixture.ts';

describe('retries of the client', () => {
  const busy = json(429, status(429, 'TooManyRequests'), { 'Retry-After': '2' });

  it('repeat a create after the delay in Retry-After', async () => {
    const { client, clock, seen } = setUp([busy, { ...busy, status: 503 }, json(201, widget('a'))]);
    const created = client.namespaced(widgets, 'default').create(widget('a'));
    await clock.advance(1_999);
    expect(seen.length).toBe(1);
    await clock.advance(1);
    expect(seen.length).toBe(2);
    await clock.advance(2_000);
    expect((await created).metadata?.name).toBe('a');
  });

  it('end with the error response after ten retries', async () => {
    const { client, clock, seen } = setUp([busy]);
    const got = client.namespaced(widgets, 'default').get('a');
    got.catch(() => {});
    await clock.advance(60_000);
    await expect(got).rejects.toMatchObject({ code: 429, retryAfterSeconds: 2 });
    expect(seen.length).toBe(11);
  });

  it('are skipped without Retry-After or with a Retry-After above the limit', async () => {
    for (const headers of [{}, { 'Retry-After': '86400' }]) {
      const { client, seen } = setUp([json(429, status(429, 'TooManyRequests'), headers)]);
      await expect(client.namespaced(widgets, 'default').get('a')).rejects.toMatchObject({ code: 429 });
      expect(seen.length).toBe(1);
    }
  });

  it('repeat reads, and no writes, after a 500 with Retry-After', async () => {
    const failing = json(500, status(500, 'InternalError'), { 'Retry-After': '0' });
    const write = setUp([failing]);
    await expect(write.client.namespaced(widgets, 'default').create(widget('a'))).rejects.toMatchObject({
      code: 500,
    });
    expect(write.seen.length).toBe(1);
    const read = setUp([failing, json(200, widget('a'))]);
    const got = read.client.namespaced(widgets, 'default').get('a');
    await read.clock.advance(0);
    expect((await got).metadata?.name).toBe('a');
  });

  it('never repeat a create after its response was lost', async () => {
    const { client, seen } = setUp([new Error('socket hang up')]);
    await expect(client.namespaced(widgets, 'default').create(widget('a'))).rejects.toMatchObject({
      code: 'ERR_CONNECTION',
    });
    expect(seen.length).toBe(1);
  });

  it('repeat a create that had no connection, because nothing was sent', async () => {
    const server = createInMemoryTransport({ handler: async () => json(201, widget('a')) });
    let tries = 0;
    const transport: Transport = {
      send: (request) =>
        ++tries === 1
          ? Promise.reject(new ClientError('ERR_UNREACHABLE', 'no connection'))
          : server.send(request),
      close: () => server.close(),
    };
    const { client, clock } = setUp([], { transport });
    const made = client.namespaced(widgets, 'default').create(widget('a'));
    await clock.advance(1_000);
    expect((await made).metadata?.name).toBe('a');
    expect(tries).toBe(2);
  });

  it('repeat a read after a broken connection', async () => {
    const { client, clock } = setUp([new Error('reset'), new Error('reset'), json(200, widget('a'))]);
    const got = client.namespaced(widgets, 'default').get('a');
    await clock.advance(1_000);
    expect((await got).metadata?.name).toBe('a');
  });

  it('end their delay when the signal aborts', async () => {
    const controller = new AbortController();
    const { client, clock } = setUp([busy]);
    const got = client.namespaced(widgets, 'default').get('a', { signal: controller.signal });
    got.catch(() => {});
    await clock.advance(500);
    controller.abort(new Error('enough'));
    await expect(got).rejects.toThrow('enough');
    expect(clock.pending).toBe(0);
  });
});

describe('a request of the client', () => {
  it('is rejected as ERR_TIMEOUT, without a retry, if it has no response in time', async () => {
    const { client, clock, seen } = setUp([never]);
    const got = client.namespaced(widgets, 'default').get('a');
    got.catch(() => {});
    await clock.advance(30_000);
    await expect(got).rejects.toMatchObject({ code: 'ERR_TIMEOUT' });
    expect(seen.length).toBe(1);
  });

  it('is rejected as ERR_TIMEOUT if the body of its response stalls', async () => {
    const { client, clock } = setUp([
      { status: 200, headers: {}, body: (sink) => void sink.write(encode('{')) },
    ]);
    const got = client.namespaced(widgets, 'default').get('a');
    got.catch(() => {});
    await clock.advance(30_000);
    await expect(got).rejects.toMatchObject({ code: 'ERR_TIMEOUT' });
  });

  it('waits in order of arrival beyond the burst, unless it is aborted', async () => {
    const waits: number[] = [];
    const observe = ({ waitedMs }: { readonly waitedMs: number }): void => void waits.push(waitedMs);
    const { client, clock, seen } = setUp([json(200, widget('a'))], { qps: 10, burst: 2, observe });
    const some = client.namespaced(widgets, 'default');
    const controller = new AbortController();
    const all = [some.get('a'), some.get('b'), some.get('c', { signal: controller.signal }), some.get('d')];
    all[2]?.catch(() => {});
    await clock.advance(0);
    expect(seen.length).toBe(2);
    controller.abort(new Error('enough'));
    await clock.advance(100);
    expect(seen.map(({ url }) => url.at(-1))).toEqual(['a', 'b', 'd']);
    expect(waits).toEqual([0, 0, 100]);
    await expect(all[2]).rejects.toThrow('enough');
  });

  it('is rejected as ERR_CLOSED, open or new, once the client is closed', async () => {
    const { client, clock } = setUp([never]);
    const got = client.namespaced(widgets, 'default').get('a');
    got.catch(() => {});
    await clock.advance(1);
    await client.close();
    await expect(got).rejects.toMatchObject({ code: 'ERR_CLOSED' });
    await expect(client.namespaced(widgets, 'default').get('a')).rejects.toMatchObject({
      code: 'ERR_CLOSED',
    });
    expect(clock.pending).toBe(0);
  });
});
