import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CodedError } from '../base/errors/coded.ts';
import type { Lifetime } from '../base/lifetime/lifetimes.ts';
import type { ControllerManager } from '../runtime/index.ts';

/**
 * `/healthz` and `/metrics` of a controller manager that runs alone, for probes on the same machine: plain HTTP, loopback
 * only, nothing that is a secret. Where it listens is in `address` once started.
 */
export function createHealthServer(
  manager: ControllerManager,
  port: number,
): Lifetime & { address(): string } {
  const server = createServer((request, response) => {
    void answer(manager, request.url ?? '').then(({ status, contentType, text }) => {
      response.writeHead(status, { 'content-type': contentType }).end(text);
    });
  });
  return {
    name: 'health server',
    start: () =>
      new Promise((resolve, reject) => {
        server.once('error', (cause) =>
          reject(
            new CodedError('ERR_HEALTH', `failed to listen on 127.0.0.1:${port}: ${cause.message}`, {
              cause,
            }),
          ),
        );
        server.listen(port, '127.0.0.1', () => resolve());
      }),
    stop: () => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()),
    address: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  };
}

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

const plain = (status: number, text: string): Answer => ({
  status,
  contentType: 'text/plain; charset=utf-8',
  text,
});

async function answer(manager: ControllerManager, url: string): Promise<Answer> {
  switch (url.split('?')[0]) {
    case '/healthz': {
      const { healthy, reasons } = manager.healthy();
      return healthy ? plain(200, 'ok') : plain(500, `${reasons.join('\n')}\n`);
    }
    case '/metrics':
      return { status: 200, ...(await manager.metrics()) };
    default:
      return plain(404, '404 page not found\n');
  }
}
