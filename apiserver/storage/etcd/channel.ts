import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import type { Clock, Timer } from '../../../base/clock/index.ts';
import { CodedError, messageOf } from '../../../base/errors/index.ts';

/** gRPC status codes that this module handles (https://grpc.github.io/grpc/core/md_doc_statuscodes.html). */
const OK = 0;
const UNKNOWN = 2;
export const INVALID_ARGUMENT = 3;
const DEADLINE_EXCEEDED = 4;
export const RESOURCE_EXHAUSTED = 8;
export const OUT_OF_RANGE = 11;
const UNAVAILABLE = 14;

/** Thrown for a failed call. Also the status at the end of a successful call. */
export class EtcdError extends CodedError<'ERR_ETCD'> {
  readonly status: number;

  constructor(status: number, message: string) {
    super('ERR_ETCD', message);
    this.status = status;
  }

  /** True if the call may succeed on another connection or later. */
  get isUnavailable(): boolean {
    return this.status === UNAVAILABLE;
  }
}

export interface ChannelTls {
  /** Certificate authorities in PEM. Default: those built into Node.js. */
  readonly ca?: string;
  /** Certificate of the client in PEM. Requires `key`. */
  readonly cert?: string;
  readonly key?: string;
}

export interface ChannelOptions {
  /** One or more URLs such as `https://10.0.0.1:2379`. If one cannot be reached, the next is tried. */
  readonly endpoints: readonly string[];
  readonly tls: ChannelTls;
  readonly clock: Clock;
}

/** Receiver of the messages of a stream. */
export interface StreamObserver {
  onMessage(message: Buffer): void;
  /** Called once when the stream ends for any reason, but not after `cancel`. */
  onEnd(error: EtcdError): void;
}

export interface Stream {
  cancel(): void;
}

/** gRPC calls over HTTP/2 to one member of the cluster at a time. */
export interface Channel {
  /** Sends a unary call. Rejects with `EtcdError`, after `CALL_MS` at the latest. */
  call(path: string, message: Buffer): Promise<Buffer>;
  /** Opens a server stream with one request message. Rejects with `EtcdError` if no member can be reached. */
  stream(path: string, message: Buffer, observer: StreamObserver): Promise<Stream>;
  close(): void;
}

const CONNECT_MS = 3_000;
const CALL_MS = 10_000;
/** Interval of pings in milliseconds. A connection without a response within `PONG_MS` is closed. */
const PING_MS = 10_000;
const PONG_MS = 5_000;
/**
 * Size of the HTTP/2 flow-control window in bytes. It is large, so that a list of many values needs few round
 * trips.
 */
const WINDOW_BYTES = 8 * 1024 * 1024;
const MESSAGE_HEAD_BYTES = 5;

/** Returns the gRPC frame of a message: no compression, length, message. */
function framed(message: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(MESSAGE_HEAD_BYTES + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  message.copy(frame, MESSAGE_HEAD_BYTES);
  return frame;
}

/** Returns a function that accepts chunks and calls `onMessage` for each complete message, in order. */
function createUnframer(onMessage: (message: Buffer) => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = [];
  let size = 0;
  let wanted = MESSAGE_HEAD_BYTES;
  return (chunk) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size < wanted) return;
    let bytes = chunks.length === 1 ? chunk : Buffer.concat(chunks, size);
    for (;;) {
      wanted = MESSAGE_HEAD_BYTES;
      if (bytes.length >= wanted) wanted += bytes.readUInt32BE(1);
      if (bytes.length < wanted) break;
      onMessage(bytes.subarray(MESSAGE_HEAD_BYTES, wanted));
      bytes = bytes.subarray(wanted);
    }
    chunks = [bytes];
    size = bytes.length;
  };
}

type Headers = Readonly<Record<string, unknown>>;

/** Decodes a percent-encoded status message. Returns the message unchanged if it is not encoded. */
function textOf(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

/** Returns the status in the headers or trailers of a call, or undefined if they have none. */
function statusOf(headers: Headers): EtcdError | undefined {
  const status = headers['grpc-status'];
  if (status !== undefined)
    return new EtcdError(Number(status), textOf(String(headers['grpc-message'] ?? '')));
  const code = headers[':status'];
  return code === undefined || code === 200
    ? undefined
    : new EtcdError(UNAVAILABLE, `got HTTP status ${String(code)}, expected 200`);
}

/**
 * Creates a channel. It connects on the first call, and reconnects on the first call after a lost connection.
 */
export function createChannel({ endpoints, tls, clock }: ChannelOptions): Channel {
  let place = 0;
  let current: Promise<ClientHttp2Session> | undefined;
  let closed = false;

  /** Tries each member once, beginning with the member that was connected last. */
  const reach = async (): Promise<ClientHttp2Session> => {
    const failures: string[] = [];
    for (let tried = 0; tried < endpoints.length; tried += 1) {
      const endpoint = endpoints[place % endpoints.length] ?? '';
      try {
        return await open(endpoint, tls, clock);
      } catch (thrown) {
        failures.push(`${endpoint}: ${messageOf(thrown)}`);
        place += 1;
      }
    }
    throw new EtcdError(UNAVAILABLE, `no member of etcd can be reached: ${failures.join('; ')}`);
  };

  const session = (): Promise<ClientHttp2Session> => {
    if (closed) return Promise.reject(new EtcdError(UNAVAILABLE, 'the channel is closed'));
    if (current !== undefined) return current;
    const opening = reach();
    current = opening;
    const forget = (): void => {
      if (current === opening) current = undefined;
    };
    opening.then((opened) => {
      if (closed) opened.destroy();
      opened.once('goaway', forget);
      opened.once('close', () => {
        forget();
        // For any reason the connection has ended, the next one uses another member if there is one.
        place += 1;
      });
    }, forget);
    return opening;
  };

  return {
    call: async (path, message) => callOver(await session(), path, message, clock),
    stream: async (path, message, observer) => streamOver(await session(), path, message, observer),
    close() {
      closed = true;
      current?.then(
        (opened) => opened.destroy(),
        () => undefined,
      );
    },
  };
}

/** Sends a unary call over a session. */
function callOver(session: ClientHttp2Session, path: string, message: Buffer, clock: Clock): Promise<Buffer> {
  const stream = request(session, path, { 'grpc-timeout': `${CALL_MS}m` });
  return new Promise<Buffer>((resolve, reject) => {
    let response: Buffer | undefined;
    const deadline = clock.setTimeout(() => {
      settle(new EtcdError(DEADLINE_EXCEEDED, `no response to ${path} within ${CALL_MS} ms`));
      stream.close(constants.NGHTTP2_CANCEL);
    }, CALL_MS);
    const settle = (status: EtcdError): void => {
      clock.clearTimeout(deadline);
      if (status.status === OK && response !== undefined) resolve(response);
      else if (status.status === OK) reject(new EtcdError(UNKNOWN, `the response to ${path} has no message`));
      else reject(status);
    };
    follow(stream, { onMessage: (each) => (response = each), onEnd: settle });
    stream.end(framed(message));
  });
}

/** Opens a stream of responses over a session. */
function streamOver(
  session: ClientHttp2Session,
  path: string,
  message: Buffer,
  observer: StreamObserver,
): Stream {
  const stream = request(session, path, {});
  let canceled = false;
  follow(stream, {
    onMessage(each) {
      if (!canceled) observer.onMessage(each);
    },
    onEnd(error) {
      if (!canceled) observer.onEnd(error);
    },
  });
  // The request stream stays open: etcd treats its end as the end of the watch.
  stream.write(framed(message));
  return {
    cancel() {
      canceled = true;
      stream.close(constants.NGHTTP2_CANCEL);
    },
  };
}

/**
 * Resolves with an established connection. Rejects with the reason if no connection is established within
 * `CONNECT_MS`.
 */
function open(endpoint: string, tls: ChannelTls, clock: Clock): Promise<ClientHttp2Session> {
  return new Promise((resolve, reject) => {
    const session = connect(endpoint, { ...tls, settings: { initialWindowSize: WINDOW_BYTES } });
    const deadline = clock.setTimeout(
      () => session.destroy(new Error(`no connection within ${CONNECT_MS} ms`)),
      CONNECT_MS,
    );
    const done = (): void => clock.clearTimeout(deadline);
    session.on('error', (error) => {
      done();
      reject(error);
    });
    session.once('close', () => {
      done();
      reject(new Error('the connection was closed'));
    });
    session.once('connect', () => {
      done();
      session.setLocalWindowSize(WINDOW_BYTES);
      keepAlive(session, clock);
      resolve(session);
    });
  });
}

/** Closes a connection whose peer no longer responds to pings. */
function keepAlive(session: ClientHttp2Session, clock: Clock): void {
  let timer: Timer | undefined;
  const ping = (): void => {
    // The `close` event follows one turn of the event loop after `destroyed` is set.
    if (session.destroyed) return;
    timer = clock.setTimeout(
      () => session.destroy(new Error(`no response to a ping within ${PONG_MS} ms`)),
      PONG_MS,
    );
    const sent = session.ping(() => {
      clock.clearTimeout(timer);
      if (!session.destroyed) timer = clock.setTimeout(ping, PING_MS);
    });
    if (!sent) session.destroy();
  };
  timer = clock.setTimeout(ping, PING_MS);
  session.once('close', () => clock.clearTimeout(timer));
}

function request(
  session: ClientHttp2Session,
  path: string,
  headers: Record<string, string>,
): ClientHttp2Stream {
  try {
    return session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
      ...headers,
    });
  } catch (thrown) {
    throw new EtcdError(UNAVAILABLE, messageOf(thrown));
  }
}

/** Passes the messages of a stream to the observer and calls `onEnd` once. */
function follow(stream: ClientHttp2Stream, observer: StreamObserver): void {
  let status: EtcdError | undefined;
  let broken: Error | undefined;
  stream.on('response', (headers) => (status ??= statusOf(headers)));
  stream.on('trailers', (headers) => (status = statusOf(headers) ?? status));
  stream.on('error', (error) => (broken = error));
  stream.on(
    'data',
    createUnframer((message) => observer.onMessage(message)),
  );
  stream.once('close', () => {
    observer.onEnd(status ?? new EtcdError(UNAVAILABLE, messageOf(broken ?? 'the connection was lost')));
  });
}
