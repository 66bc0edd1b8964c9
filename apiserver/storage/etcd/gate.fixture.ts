import { once } from 'node:events';
import {
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
  connect,
  createServer,
} from 'node:http2';
import type { AddressInfo } from 'node:net';

/** A member of an etcd that lets so many calls through and then breaks every connection, until it is opened. */
export interface Gate {
  readonly url: string;
  /** Resolves with the first call that is not let through. */
  readonly refused: Promise<void>;
  open(): void;
  close(): Promise<void>;
}

export async function createGate(etcdUrl: string, letThrough: number): Promise<Gate> {
  const behind = connect(etcdUrl);
  const sessions = new Set<Http2Session>();
  let calls = 0;
  let isOpen = false;
  let tell = (): void => {};
  const refused = new Promise<void>((resolve) => (tell = resolve));
  const server = createServer();
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    if (isOpen || calls++ < letThrough) return forward(stream, headers);
    for (const session of sessions) session.destroy();
    tell();
  });
  const forward = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void => {
    const asked = behind.request(headers);
    asked.on('error', () => {});
    stream.once('close', () => asked.close());
    asked.once('response', (answer) => {
      stream.respond(answer, { waitForTrailers: true });
      asked.once('trailers', (trailers) => stream.once('wantTrailers', () => stream.sendTrailers(trailers)));
      asked.pipe(stream);
    });
    stream.pipe(asked);
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
