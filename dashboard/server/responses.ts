import type { HttpResponse } from '../../base/http/index.ts';

/** Returns a JSON response, 200 by default. */
export const json = (value: object, status = 200): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: Buffer.from(JSON.stringify(value)),
});

/** Returns a `Status` with the reason why a request was rejected. */
export const refusal = (status: number, message: string): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify({ kind: 'Status', status: 'Failure', code: status, message })),
});
