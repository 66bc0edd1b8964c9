import type { HttpResponse } from './message.ts';

/** Returns a plain text response that browsers do not interpret as another type. */
export const textResponse = (
  status: number,
  text: string,
  headers: HttpResponse['headers'] = {},
): HttpResponse => ({
  status,
  headers: {
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
    ...headers,
  },
  body: Buffer.from(text),
});
