import type { HttpResponse } from './message.ts';

/** Text that no browser may take for anything else. */
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
