import { connect, type TLSSocket } from 'node:tls';
import type { Ask, Place } from './job.ts';

/**
 * One connection of a load. It does as little work per request as possible, so that the figure measures the
 * server.
 */
export interface Connection {
  ask(ask: Ask): void;
  close(): void;
}

export interface Asker {
  /** Called for each complete response with a 2xx status. */
  onAnswer(): void;
  onFailure(why: string): void;
}

export function openSocket({ port, tls }: Place, protocol: 'http/1.1' | 'h2'): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, ...tls, ALPNProtocols: [protocol] }, () => {
      socket.setNoDelay(true);
      socket.off('error', reject);
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

let asked = 0;

/** Returns the next request of a connection, with its placeholders replaced. */
export function fill(ask: Ask, connection: number): Ask {
  const { method, path, body } = ask;
  const number = String(asked++).padStart(9, '0');
  const own = String(connection).padStart(4, '0');
  const put = (text: string): string => text.replaceAll('{n}', number).replaceAll('{c}', own);
  return { method, path: put(path), ...(body === undefined ? {} : { body: put(body) }) };
}

export const requestText = ({ method, path, body = '' }: Ask): string => {
  const head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\nUser-Agent: load/1\r\n`;
  if (body === '') return `${head}\r\n`;
  return `${head}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
};

/** Opens an HTTP/1.1 connection for one request at a time. Only supports responses with Content-Length. */
export async function openHttp1(place: Place, asker: Asker): Promise<Connection> {
  const socket = await openSocket(place, 'http/1.1');
  /** Number of bytes of the response body that are still missing; undefined until the head is complete. */
  let left: number | undefined;
  let head: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    let rest = chunk;
    if (left === undefined) {
      head = head.length === 0 ? rest : Buffer.concat([head, rest]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      const text = head.toString('latin1', 0, end);
      const [, length] = /\r\ncontent-length: (\d+)/i.exec(text) ?? [];
      if (text.charCodeAt(9) !== 0x32 || length === undefined) {
        asker.onFailure(head.toString('utf8').slice(0, 600));
        return;
      }
      left = Number(length);
      rest = head.subarray(end + 4);
      head = Buffer.alloc(0);
    }
    left -= rest.length;
    if (left > 0) return;
    left = undefined;
    asker.onAnswer();
  });
  socket.on('error', (error) => asker.onFailure(error.message));
  return {
    ask: (ask) => void socket.write(requestText(ask), 'latin1'),
    close: () => socket.destroy(),
  };
}
