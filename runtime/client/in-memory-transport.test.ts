import { describe, expect, it } from 'vitest';
import type { BodySink, HttpHandler } from '../../base/http/message.ts';
import { readText } from './response.ts';
import { createInMemoryTransport } from './in-memory-transport.ts';
import type { TransportRequest } from './transport.ts';

const get = (signal?: AbortSignal): TransportRequest => ({
  method: 'GET',
  path: '/',
  headers: { 'X-A': 'b' },
  headersTimeoutMs: 1_000,
  ...(signal === undefined ? {} : { signal }),
});
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const kilobyte = new Uint8Array(1024);

/** A transport to a server whose streamed body the test writes. */
function streaming(highWaterBytes?: number) {
  const state: { sink?: BodySink; signal?: AbortSignal; closed: boolean } = { closed: false };
  const handler: HttpHandler = (request) => {
    state.signal = request.signal;
    return Promise.resolve({
      status: 200,
      headers: { 'Content-Type': 'x' },
      body: (sink) => {
        state.sink = sink;
        sink.onClose(() => (state.closed = true));
      },
    });
  };
  const transport = createInMemoryTransport({
    handler,
    ...(highWaterBytes === undefined ? {} : { highWaterBytes }),
  });
  return { transport, state };
}

describe('in-memory transport', () => {
  it('converts header names to lower case in both directions and adds its own headers', async () => {
    const seen: unknown[] = [];
    const transport = createInMemoryTransport({
      headers: { Authorization: 'Bearer x' },
      handler: (request) => {
        seen.push(request.headers, request.peer.address);
        return Promise.resolve({
          status: 200,
          headers: { 'Content-Type': 'text/plain' },
          body: [kilobyte, kilobyte],
        });
      },
    });
    const response = await transport.send(get());
    expect(response.headers).toEqual({ 'content-type': 'text/plain' });
    expect((await readText(response.body)).length).toBe(2048);
    expect(seen).toEqual([{ authorization: ['Bearer x'], 'x-a': ['b'] }, '127.0.0.1']);
  });

  it("rejects a request body above the server's limit", async () => {
    const transport = createInMemoryTransport({
      handler: async (request) => {
        const text = await request.body(3).then(String, (thrown: Error) => thrown.message);
        return { status: 200, headers: {}, body: new TextEncoder().encode(text) };
      },
    });
    const response = await transport.send({ ...get(), body: 'é✓' });
    expect(await readText(response.body)).toBe('request body is larger than 3 bytes');
  });

  it('makes a fast writer wait until the reader has caught up', async () => {
    const { transport, state } = streaming(2048);
    const body = (await transport.send(get())).body[Symbol.asyncIterator]();
    const first = body.next();
    let drained = 0;
    expect(state.sink?.write(kilobyte)).toBe(true);
    await first;
    expect(state.sink?.write(kilobyte)).toBe(true);
    expect(state.sink?.write(kilobyte)).toBe(false);
    state.sink?.onDrain(() => drained++);
    await settle();
    expect(drained).toBe(0);
    await body.next();
    await settle();
    expect(drained).toBe(1);
  });

  it('ends after the complete body and closes the sink', async () => {
    const { transport, state } = streaming();
    const text = readText((await transport.send(get())).body);
    state.sink?.write(kilobyte);
    state.sink?.write(kilobyte);
    state.sink?.end();
    expect((await text).length).toBe(2048);
    await settle();
    expect(state.closed).toBe(true);
    expect(state.signal?.aborted).toBe(false);
  });

  it('ends the body with the reason of an abort and reports a disconnect to the server', async () => {
    const { transport, state } = streaming();
    const controller = new AbortController();
    const text = readText((await transport.send(get(controller.signal))).body);
    controller.abort(new Error('enough'));
    await expect(text).rejects.toThrow('enough');
    await settle();
    expect([state.signal?.aborted, state.closed, state.sink?.write(kilobyte)]).toEqual([true, true, false]);
  });

  it('rejects an aborted request that has no response with the reason of the abort', async () => {
    const transport = createInMemoryTransport({ handler: () => new Promise(() => {}) });
    const controller = new AbortController();
    const sent = transport.send(get(controller.signal));
    controller.abort(new Error('enough'));
    await expect(sent).rejects.toThrow('enough');
  });

  it('ends open requests when it is closed and rejects new requests', async () => {
    const { transport, state } = streaming();
    const text = readText((await transport.send(get())).body);
    await transport.close();
    await expect(text).rejects.toMatchObject({ code: 'ERR_CLOSED' });
    expect(state.signal?.aborted).toBe(true);
    await expect(transport.send(get())).rejects.toMatchObject({ code: 'ERR_CLOSED' });
  });
});
