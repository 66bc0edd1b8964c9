import type { OutgoingHttpHeader, OutgoingHttpHeaders } from 'node:http';
import type { HttpResponse } from '../../../base/http/index.ts';

/**
 * Converts headers for HTTP/2. They are assigned one by one: a spread record that is extended later gets a
 * separate hidden class for each response, which only a full garbage collection frees.
 */
export function toRecord(
  head: OutgoingHttpHeaders,
  headers: HttpResponse['headers'],
  length: number | undefined,
): OutgoingHttpHeaders {
  for (const name in headers) head[name] = headers[name] as string | string[];
  if (length !== undefined) head['content-length'] = length;
  return head;
}

/**
 * Converts headers to alternating names and values, the form that Node's HTTP/1.1 writes with the least work.
 */
export function toLines(
  headers: HttpResponse['headers'],
  length: number | undefined,
  last: boolean,
): OutgoingHttpHeader[] {
  const lines: OutgoingHttpHeader[] = [];
  for (const name in headers)
    if (name !== 'content-length' || length === undefined)
      lines.push(name, headers[name] as string | string[]);
  if (length !== undefined) lines.push('content-length', length);
  if (last) lines.push('connection', 'close');
  return lines;
}
