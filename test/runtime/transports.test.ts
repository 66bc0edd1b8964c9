import { MessageChannel } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { createListener } from '../../apiserver/http/listener/listener.ts';
import { linkSignals } from '../../base/async/index.ts';
import { createSystemClock } from '../../base/clock/system.ts';
import type { BodySink, HttpBody, HttpHandler, HttpRequest, HttpResponse } from '../../base/http/message.ts';
import { servePort } from '../../base/http/port-server.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createSystemRandom } from '../../base/random/system.ts';
import { selfMade } from '../../cli/chaos/proxy-identity.ts';
import { readText } from '../../runtime/client/response.ts';
import { staticCredentials } from '../../runtime/client/credentials.ts';
import { createInMemoryTransport } from '../../runtime/client/in-memory-transport.ts';
import { createNodeTransport } from '../../runtime/client/node-transport.ts';
import { createPortTransport } from '../../runtime/client/port-transport.ts';
import type { Transport, TransportRequest, TransportResponse } from '../../runtime/client/transport.ts';
import { type UndiciTransportOptions, createUndiciTransport } from '../../runtime/client/undici-transport.ts';

const clock = createSystemClock();
const { tls, caPem } = selfMade('127.0.0.1', { clock, random: createSystemRandom() });
const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function serve(handler: HttpHandler): Promise<UndiciTransportOptions> {
  const listener = createListener({
    handler,
    host: '127.0.0.1',
    port: 0,
    tls,
    clock,
    log: silentLogger,
    graceMs: 200,
  });
  await listener.start();
  stops.push(() => listener.stop());
  const server = `https://127.0.0.1:${listener.address().port}`;
  return { server, tls: { ca: caPem }, credentials: staticCredentials({}) };
}

/** Transports to a handler by name. Each transport and its server end with their test. */
const carriers: { readonly [name: string]: (handler: HttpHandler) => Promise<Transport> } = {
  async 'in memory'(handler) {
    return createInMemoryTransport({ handler, clock });
  },
  async 'over a port'(handler) {
    const { port1, port2 } = new MessageChannel();
    servePort(port1, { handler, clock });
    return createPortTransport(port2);
  },
  async 'over HTTPS'(handler) {
    return createUndiciTransport(await serve(handler));
  },
  async 'over HTTPS, by Node.js'(handler) {
    return createNodeTransport({ ...(await serve(handler)), connections: 64 });
  },
};

/** Abort signals that a client passes to a transport: its own linked signal, or a foreign one. */
const signals = [
  ['a signal', (signal) => signal],
  ['a linked signal', (signal) => linkSignals(signal)],
] as const satisfies readonly (readonly [string, (signal: AbortSignal) => TransportRequest['signal']])[];

const request = (more: Partial<TransportRequest> = {}): TransportRequest => ({
  method: 'GET',
  path: '/',
  headers: {},
  headersTimeoutMs: 20_000,
  ...more,
});

const text = (given: string): Uint8Array => new TextEncoder().encode(given);
const ok = (body: HttpBody): HttpResponse => ({ status: 200, headers: {}, body });

interface Streamed {
  readonly sink: BodySink;
  readonly request: HttpRequest;
  /** Resolves when the sink is closed. */
  readonly closed: Promise<void>;
}

/** Creates a handler that streams, and returns the request that it receives. */
function streaming(): { readonly handler: HttpHandler; readonly streamed: Promise<Streamed> } {
  let begin: (streamed: Streamed) => void = () => {};
  const streamed = new Promise<Streamed>((resolve) => (begin = resolve));
  return {
    streamed,
    handler: (asked) =>
      ok((sink) => {
        // Only a handler that has read the signal is notified of a disconnect.
        void asked.signal;
        begin({ sink, request: asked, closed: new Promise((resolve) => sink.onClose(resolve)) });
      }),
  };
}

/** Starts to read a response body immediately, because a body in memory is written only when it is read. */
async function* ahead(first: Promise<IteratorResult<Uint8Array>>, rest: AsyncIterator<Uint8Array>) {
  try {
    for (let next = await first; next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
function reader({ body }: TransportResponse): AsyncGenerator<Uint8Array> {
  const rest = body[Symbol.asyncIterator]();
  return ahead(rest.next(), rest);
}

/** Number of chunks, which are 25 MB. */
const CHUNKS = 400;

describe.each(Object.keys(carriers))('a transport %s', (name) => {
  const connect = async (handler: HttpHandler): Promise<Transport> => {
    const transport = await (carriers[name] ?? expect.fail())(handler);
    stops.push(() => transport.close());
    return transport;
  };

  it('delivers method, path, headers and body to the handler, and status, headers, body and date to the client', async () => {
    const transport = await connect(async (asked) => ({
      status: 201,
      headers: {
        'X-Seen': `${asked.method} ${asked.url} ${asked.headers['x-a']?.join()}`,
        warning: ['a', 'b'],
      },
      body: await asked.body(1_000),
    }));
    const sent = { method: 'POST', path: '/api/v1?x=%2F1', headers: { 'X-A': 'b' }, body: 'é✓' };
    const answer = await transport.send(request(sent));
    expect(answer.status).toBe(201);
    expect(answer.headers['x-seen']).toBe('POST /api/v1?x=%2F1 b');
    expect([answer.headers['warning']].flat().join()).toMatch(/^a, ?b$|^a,b$/);
    expect(Math.abs(Date.parse(String(answer.headers['date'])) - clock.now())).toBeLessThan(60_000);
    expect(await readText(answer.body)).toBe('é✓');
  });

  it('delivers bytes and an empty body unchanged', async () => {
    const all = Uint8Array.from({ length: 256 }, (_, i) => i);
    const transport = await connect(async (asked) => ok(await asked.body(1_000)));
    const echo = async (body: Uint8Array | undefined): Promise<Uint8Array> => {
      const { body: answered } = await transport.send(request({ method: 'POST', ...(body && { body }) }));
      const chunks: Uint8Array[] = [];
      for await (const chunk of answered) chunks.push(chunk);
      return new Uint8Array(Buffer.concat(chunks));
    };
    expect(await echo(all)).toEqual(all);
    expect((await echo(undefined)).length).toBe(0);
  });

  it('matches responses to requests even if responses arrive in another order', async () => {
    const waiting: (() => void)[] = [];
    const transport = await connect(async (asked) => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return ok(text(asked.url));
    });
    const paths = Array.from({ length: 40 }, (_, i) => `/${i}`);
    const answers = paths.map(async (path) => readText((await transport.send(request({ path }))).body));
    await expect.poll(() => waiting.length).toBe(40);
    for (const answer of waiting.reverse()) answer();
    expect(await Promise.all(answers)).toEqual(paths);
  });

  it('rejects a body that exceeds the limit of the server that reads it', async () => {
    const transport = await connect(async (asked) =>
      ok(text(await asked.body(3).then(String, (thrown: Error) => thrown.message))),
    );
    const answer = await transport.send(request({ method: 'POST', body: 'é✓' }));
    expect(await readText(answer.body)).toBe('request body is larger than 3 bytes');
  });

  it.each([10, 1_000])('delivers a response of %d parts completely', async (count) => {
    const part = text('x'.repeat(4_000));
    const transport = await connect(() => ok(Array.from({ length: count }, () => part)));
    expect((await readText((await transport.send(request())).body)).length).toBe(count * 4_000);
  });

  it('delivers a stream while it is written, to its end, and closes the sink', async () => {
    const { handler, streamed } = streaming();
    const transport = await connect(handler);
    const body = reader(await transport.send(request({ streaming: true })));
    const { sink, closed, request: asked } = await streamed;
    for (const word of ['one', 'two']) {
      sink.write(text(word));
      expect(Buffer.from((await body.next()).value ?? []).toString()).toBe(word);
    }
    sink.end();
    expect((await body.next()).done).toBe(true);
    await closed;
    expect(asked.signal.aborted).toBe(false);
  });

  it('applies backpressure to a writer until its reader has caught up', async () => {
    const { handler, streamed } = streaming();
    const transport = await connect(handler);
    const body = reader(await transport.send(request({ streaming: true })));
    const { sink } = await streamed;
    const chunk = new Uint8Array(64 * 1024);
    let written = 0;
    const write = (): void => {
      while (written < CHUNKS && !sink.closed) {
        written += 1;
        if (!sink.write(chunk)) return sink.onDrain(write);
      }
      sink.end();
    };
    write();
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
    // Sockets buffer some megabytes of unread data.
    expect(written).toBeLessThan(CHUNKS);
    let read = 0;
    for (let next = await body.next(); next.done !== true; next = await body.next())
      read += next.value.length;
    expect([written, read]).toEqual([CHUNKS, CHUNKS * chunk.length]);
  });

  it.each(signals)('delivers an abort of %s to reader and server', async (_, asGiven) => {
    const { handler, streamed } = streaming();
    const transport = await connect(handler);
    const controller = new AbortController();
    const sent = transport.send(request({ streaming: true, signal: asGiven(controller.signal) }));
    const read = readText((await sent).body);
    const { sink, closed, request: asked } = await streamed;
    controller.abort(new Error('enough'));
    await expect(read).rejects.toThrow('enough');
    await closed;
    await expect.poll(() => asked.signal.aborted).toBe(true);
    expect([sink.closed, sink.write(text('x'))]).toEqual([true, false]);
  });

  it.each(signals)('ends a request without a response on an abort of %s', async (_, asGiven) => {
    const asked: HttpRequest[] = [];
    const transport = await connect((each) => {
      asked.push(each);
      void each.signal;
      return new Promise(() => {});
    });
    const controller = new AbortController();
    const signal = asGiven(controller.signal);
    const sent = transport.send(request({ signal }));
    await expect.poll(() => asked.length).toBe(1);
    controller.abort(new Error('enough'));
    await expect(sent).rejects.toThrow('enough');
    await expect.poll(() => asked[0]?.signal.aborted).toBe(true);
    await expect(transport.send(request({ signal }))).rejects.toThrow('enough');
  });

  it('closes the connection when the client stops reading the body', async () => {
    const { handler, streamed } = streaming();
    const transport = await connect(handler);
    const body = reader(await transport.send(request({ streaming: true })));
    const { sink, closed, request: asked } = await streamed;
    sink.write(text('x'));
    await body.next();
    await body.return(undefined);
    await closed;
    await expect.poll(() => asked.signal.aborted).toBe(true);
  });

  it('reports a broken connection when the server aborts before or during the response', async () => {
    const transport = await connect((asked) => {
      asked.drop?.();
      return new Promise(() => {});
    });
    await expect(transport.send(request())).rejects.toMatchObject({ code: 'ERR_CONNECTION' });
    const { handler, streamed } = streaming();
    const other = await connect(handler);
    const sent = other.send(request({ streaming: true }));
    const read = readText((await sent).body);
    const { sink, request: asked } = await streamed;
    sink.write(text('x'));
    asked.drop?.();
    await expect(read).rejects.toMatchObject({ code: 'ERR_CONNECTION' });
  });

  it('ends pending requests when it is closed, and rejects later ones', async () => {
    const { handler, streamed } = streaming();
    const transport = await connect(handler);
    const sent = transport.send(request({ streaming: true }));
    const read = readText((await sent).body).catch((thrown: unknown) => thrown);
    const { request: asked } = await streamed;
    await transport.close();
    expect(await read).toBeInstanceOf(Error);
    await expect.poll(() => asked.signal.aborted).toBe(true);
    await expect(transport.send(request())).rejects.toMatchObject({ code: 'ERR_CLOSED' });
  });
});
