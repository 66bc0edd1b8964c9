import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import type { Clock, Timer } from '../../../base/clock/clock.ts';
import { CodedError, messageOf } from '../../../base/errors/coded.ts';

/** Of gRPC's status codes (gRPC core, "statuscodes"), those that are told apart. */
const OK = 0;
const UNKNOWN = 2;
export const INVALID_ARGUMENT = 3;
const DEADLINE_EXCEEDED = 4;
export const RESOURCE_EXHAUSTED = 8;
export const OUT_OF_RANGE = 11;
const UNAVAILABLE = 14;

/** A call that failed, or the end of one that did not. */
export class EtcdError extends CodedError<'ERR_ETCD'> {
  readonly status: number;

  constructor(status: number, message: string) {
    super('ERR_ETCD', message);
    this.status = status;
  }

  /** Whether another connection, or another time, may do better. */
  get isUnavailable(): boolean {
    return this.status === UNAVAILABLE;
  }
}

export interface ChannelTls {
  /** PEM; default the authorities that Node comes with. */
  readonly ca?: string;
  /** PEM, of the client, together with `key`. */
  readonly cert?: string;
  readonly key?: string;
}

export interface ChannelOptions {
  /** Such as `https://10.0.0.1:2379`; those after the first are for when one cannot be reached. At least one. */
  readonly endpoints: readonly string[];
  readonly tls: ChannelTls;
  readonly clock: Clock;
}

export interface StreamObserver {
  onMessage(message: Buffer): void;
  /** Once, whatever ends it, but not after `cancel`. */
  onEnd(error: EtcdError): void;
}

export interface Stream {
  cancel(): void;
}

/** Calls of gRPC over HTTP/2 to one member of a cluster at a time. */
export interface Channel {
  /** One message for one. Throws `EtcdError`, after `CALL_MS` at the latest. */
  call(path: string, message: Buffer): Promise<Buffer>;
  /** One message for many. Rejects with `EtcdError` where no member can be reached. */
  stream(path: string, message: Buffer, observer: StreamObserver): Promise<Stream>;
  close(): void;
}

const CONNECT_MS = 3_000;
const CALL_MS = 10_000;
/** A connection over which nothing comes back for a ping is given up. */
const PING_MS = 10_000;
const PONG_MS = 5_000;
/** Bytes that may be under way before they are read; a list of many values comes in few turns. */
const WINDOW_BYTES = 8 * 1024 * 1024;
const MESSAGE_HEAD_BYTES = 5;

/** gRPC's frame: no compression, length, message. */
function framed(message: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(MESSAGE_HEAD_BYTES + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  message.copy(frame, MESSAGE_HEAD_BYTES);
  return frame;
}

/** Gives the messages whose last byte has come, in order. */
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

/** The message of a status is percent-encoded; a server that does not do so is taken at its word. */
function textOf(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

/** What the end of a call says; undefined where it says nothing yet. */
function statusOf(headers: Headers): EtcdError | undefined {
  const status = headers['grpc-status'];
  if (status !== undefined)
    return new EtcdError(Number(status), textOf(String(headers['grpc-message'] ?? '')));
  const code = headers[':status'];
  return code === undefined || code === 200
    ? undefined
    : new EtcdError(UNAVAILABLE, `got HTTP status ${String(code)}, expected 200`);
}

export function createChannel({ endpoints, tls, clock }: ChannelOptions): Channel {
  let place = 0;
  let current: Promise<ClientHttp2Session> | undefined;
  let closed = false;

  /** Tries each member once, beginning with the one that was reached last. */
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
        // Whatever ended it: the next connection is to another member, where there is one.
        place += 1;
      });
    }, forget);
    return opening;
  };

  return {
    async call(path, message) {
      const stream = request(await session(), path, { 'grpc-timeout': `${CALL_MS}m` });
      return new Promise<Buffer>((resolve, reject) => {
        let answer: Buffer | undefined;
        const deadline = clock.setTimeout(() => {
          settle(new EtcdError(DEADLINE_EXCEEDED, `${path} was not answered within ${CALL_MS} ms`));
          stream.close(constants.NGHTTP2_CANCEL);
        }, CALL_MS);
        const settle = (status: EtcdError): void => {
          clock.clearTimeout(deadline);
          if (status.status === OK && answer !== undefined) resolve(answer);
          else if (status.status === OK)
            reject(new EtcdError(UNKNOWN, `${path} was answered without a message`));
          else reject(status);
        };
        follow(stream, { onMessage: (each) => (answer = each), onEnd: settle });
        stream.end(framed(message));
      });
    },
    async stream(path, message, observer) {
      const stream = request(await session(), path, {});
      let canceled = false;
      follow(stream, {
        onMessage(each) {
          if (!canceled) observer.onMessage(each);
        },
        onEnd(error) {
          if (!canceled) observer.onEnd(error);
        },
      });
      // Not ended: to a server that is the end of the watch.
      stream.write(framed(message));
      return {
        cancel() {
          canceled = true;
          stream.close(constants.NGHTTP2_CANCEL);
        },
      };
    },
    close() {
      closed = true;
      current?.then(
        (opened) => opened.destroy(),
        () => undefined,
      );
    },
  };
}

/** A connection that is there. Rejects with what keeps it from coming. */
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

/** Ends a connection whose other end has gone without a word. */
function keepAlive(session: ClientHttp2Session, clock: Clock): void {
  let timer: Timer | undefined;
  const ping = (): void => {
    // Its end is told a turn later than it comes.
    if (session.destroyed) return;
    timer = clock.setTimeout(
      () => session.destroy(new Error(`no answer to a ping within ${PONG_MS} ms`)),
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

/** Reads what comes back; `onEnd` is called once. */
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
    observer.onEnd(status ?? new EtcdError(UNAVAILABLE, messageOf(broken ?? 'the connection has broken')));
  });
}
