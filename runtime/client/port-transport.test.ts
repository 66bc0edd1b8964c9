import { MessageChannel } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import type { BodySink, HttpHandler, HttpRequest } from '../../base/http/message.ts';
import { servePort } from '../../base/http/port-server.ts';
import { readText } from './response.ts';
import { createPortTransport } from './port-transport.ts';
import type { Transport, TransportRequest } from './transport.ts';

const open: { close(): unknown }[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

/** Connects a transport to a handler over a port; `messages` counts the messages in both directions. */
function connect(handler: HttpHandler, highWaterBytes?: number) {
  const { port1, port2 } = new MessageChannel();
  const messages = { there: 0, back: 0 };
  port1.on('message', () => messages.there++);
  port2.on('message', () => messages.back++);
  servePort(port1, { handler, ...(highWaterBytes !== undefined && { highWaterBytes }) });
  const transport = createPortTransport(port2);
  open.push(transport);
  return { transport, messages, served: port1 };
}

const get = (path: string, signal?: AbortSignal): TransportRequest => ({
  method: 'GET',
  path,
  headers: {},
  headersTimeoutMs: 1_000,
  ...(signal && { signal }),
});
const ask = async (transport: Transport, path: string): Promise<string> =>
  readText((await transport.send(get(path))).body);
const text = (given: string): Uint8Array => new TextEncoder().encode(given);
const kilobyte = new Uint8Array(1024);
/** Waits ten turns of the event loop, enough for a message and its reply. */
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
};

describe('createPortTransport', () => {
  it('batches the messages of one turn of the event loop in both directions', async () => {
    const { transport, messages } = connect(({ url }) => ({ status: 200, headers: {}, body: text(url) }));
    const paths = Array.from({ length: 50 }, (_, i) => `/${i}`);
    expect(await Promise.all(paths.map((path) => ask(transport, path)))).toEqual(paths);
    expect(messages).toEqual({ there: 1, back: 1 });
  });

  it('makes the writer wait for a slow reader and resume with it', async () => {
    let sink: BodySink | undefined;
    let sent = 0;
    const write = (): void => {
      for (;;) {
        sent += 1;
        if (sink?.write(kilobyte) !== true) return sink?.onDrain(write);
      }
    };
    const { transport } = connect(
      () => ({
        status: 200,
        headers: {},
        body: (begun) => {
          sink = begun;
          write();
        },
      }),
      64 * 1024,
    );
    const body = (await transport.send(get('/'))).body[Symbol.asyncIterator]();
    await turns();
    expect(sent).toBe(64);
    // The reader acknowledges after half of the server's window of 64 KiB.
    for (let read = 0; read < 31; read++) await body.next();
    await turns();
    expect(sent).toBe(64);
    await body.next();
    await expect.poll(() => sent).toBe(96);
    await body.return?.();
    await expect.poll(() => sink?.closed).toBe(true);
    expect(sent).toBe(96);
  });

  it('ignores a late response to an aborted request, even if its number is reused', async () => {
    const asked: { request: HttpRequest; answer: () => void }[] = [];
    const { transport } = connect(
      (request) =>
        new Promise((resolve) => {
          const answer = () => resolve({ status: 200, headers: {}, body: text(request.url) });
          asked.push({ request, answer });
        }),
    );
    const controller = new AbortController();
    const givenUp = transport.send(get('/given-up', controller.signal));
    await expect.poll(() => asked.length).toBe(1);
    controller.abort(new Error('enough'));
    // The response and the cancellation are in transit at the same time.
    asked[0]?.answer();
    await expect(givenUp).rejects.toThrow('enough');
    const others = ['/a', '/b', '/c'].map((path) => ask(transport, path));
    await expect.poll(() => asked.length).toBe(4);
    for (const { answer } of asked) answer();
    expect(await Promise.all(others)).toEqual(['/a', '/b', '/c']);
  });

  it('rejects with ERR_CONNECTION if the server fails before or after its handler returns', async () => {
    const { transport } = connect(({ url }) => {
      if (url === '/now') throw new Error('defect');
      return Promise.reject(new Error('defect'));
    });
    for (const path of ['/now', '/later'])
      await expect(transport.send(get(path))).rejects.toMatchObject({
        code: 'ERR_CONNECTION',
        message: 'the server failed: defect',
      });
  });

  it('distinguishes a broken stream from a complete one', async () => {
    const { transport } = connect(({ url }) => ({
      status: 200,
      headers: {},
      body: (sink) => {
        sink.write(text('part'));
        if (url === '/cut') sink.cut?.();
        else sink.end();
      },
    }));
    expect(await ask(transport, '/end')).toBe('part');
    await expect(ask(transport, '/cut')).rejects.toMatchObject({ code: 'ERR_CONNECTION' });
  });

  it('rejects open requests with ERR_CONNECTION and later requests with ERR_UNREACHABLE once the port is closed', async () => {
    const { transport, served } = connect(() => new Promise(() => {}));
    const waiting = transport.send(get('/'));
    await turns();
    served.close();
    await expect(waiting).rejects.toMatchObject({
      code: 'ERR_CONNECTION',
      message: 'the server closed the port',
    });
    await expect(transport.send(get('/'))).rejects.toMatchObject({ code: 'ERR_UNREACHABLE' });
  });

  it('aborts open requests on the server when the client closes', async () => {
    const notified: string[] = [];
    const { transport } = connect((request) => {
      request.signal.addEventListener('abort', () => notified.push('signal'));
      request.onClose?.(() => notified.push('closed'));
      return new Promise(() => {});
    });
    const waiting = transport.send(get('/')).catch(() => {});
    await turns();
    await transport.close();
    await waiting;
    await expect.poll(() => notified).toEqual(['signal', 'closed']);
  });
});
