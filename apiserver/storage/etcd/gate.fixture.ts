import { once } from 'node:events';
import {
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
  connect,
  createServer,
} from 'node:http2';
import type { AddressInfo } from 'node:net';

/**
 * Proxy of an etcd member that forwards a number of calls, then breaks every connection until `open` is
 * called.
 */
export interface Gate {
  readonly url: string;
  /** Resolves at the first call that is not forwarded. */
  readonly refused: Promise<void>;
  open(): void;
  close(): Promise<void>;
}

export async function createGate(etcdUrl: string, letThrough: number): Promise<Gate> {
  const behind = connect(etcdUrl);
  const sessions = new Set<Http2Session>();
  let calls = 0;
  let isOpen = false;
  let reportRefused = (): void => {};
  const refused = new Promise<void>((resolve) => (reportRefused = resolve));
  const server = createServer();
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    if (isOpen || calls++ < letThrough) return forward(stream, headers);
    for (const session of sessions) session.destroy();
    reportRefused();
  });
  const forward = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void => {
    const forwarded = behind.request(headers);
    forwarded.on('error', () => {});
    stream.once('close', () => forwarded.close());
    forwarded.once('response', (response) => {
      stream.respond(response, { waitForTrailers: true });
      forwarded.once('trailers', (trailers) =>
        stream.once('wantTrailers', () => stream.sendTrailers(trailers)),
      );
      forwarded.pipe(stream);
    });
    stream.pipe(forwarded);
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refused,
    open: () => (isOpen = true),
    async close() {
      for (const session of sessions) session.destroy();
      behind.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
