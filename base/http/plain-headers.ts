import type { Clock } from '../clock/clock.ts';
import type { HttpHeaders, HttpResponse } from './message.ts';

/**
 * Converts headers of a request without a socket to the format of a listener. Headers in `sent` override
 * those in `own`.
 */
export function toHttpHeaders(sent: Readonly<Record<string, string>>, own?: HttpHeaders): HttpHeaders {
  const headers: Record<string, readonly string[]> = {};
  for (const name in own) headers[name] = own[name] ?? [];
  for (const name in sent) headers[name.toLowerCase()] = [sent[name] ?? ''];
  return headers;
}

/**
 * Returns a function that lower-cases the names of response headers. It adds the header `date` if there is a
 * clock; the date is formatted once per second.
 */
export function createAnswerHeaders(clock: Pick<Clock, 'now'> | undefined) {
  let date = { second: Number.NaN, text: '' };
  return (given: HttpResponse['headers']): HttpResponse['headers'] => {
    const headers: Record<string, string | readonly string[]> = {};
    if (clock !== undefined) {
      const second = Math.floor(clock.now() / 1_000);
      if (second !== date.second) date = { second, text: new Date(second * 1_000).toUTCString() };
      headers['date'] = date.text;
    }
    for (const name in given) headers[name.toLowerCase()] = given[name] ?? '';
    return headers;
  };
}
