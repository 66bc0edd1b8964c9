import type { HttpResponse } from '../../base/http/index.ts';
import type { RequestContext } from '../request.ts';

/** Bytes of warning text in one answer before texts are cut short and then left out, as upstream does. */
const WARNINGS_LIMIT = 4 * 1024;
const WARNING_LIMIT = 256;

/** Puts on every answer its id, that it is not to be kept, and what the server warns of. */
export function withStandardHeaders(context: RequestContext, response: HttpResponse): HttpResponse {
  const { answerHeaders } = context;
  // Assigned one by one: records of the same headers then share a shape, which spread ones do not.
  const headers: Record<string, string | readonly string[]> = {
    'audit-id': context.id,
    'cache-control': 'no-cache, private',
  };
  for (const name in answerHeaders) headers[name] = answerHeaders[name] ?? '';
  for (const name in response.headers) headers[name] = response.headers[name] ?? '';
  if (context.warnings.length > 0) headers['warning'] = warningHeaders(context.warnings);
  return { status: response.status, headers, body: response.body };
}

/** `299 - "text"` for each warning, quoted as RFC 7234 (section 5.5) asks. */
function warningHeaders(warnings: readonly string[]): string[] {
  const total = warnings.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const cut = total > WARNINGS_LIMIT;
  const headers: string[] = [];
  let written = 0;
  for (const warning of warnings) {
    const text = cut ? warning.slice(0, WARNING_LIMIT) : warning;
    written += Buffer.byteLength(text);
    if (written > WARNINGS_LIMIT) break;
    headers.push(`299 - "${quotable(text)}"`);
  }
  return headers;
}

/** Header values are Latin-1 in Node and UTF-8 on the wire of the real system: the bytes are the same this way. */
const quotable = (text: string): string =>
  Buffer.from(
    text
      .replace(/\p{Cc}+/gu, ' ')
      .replace(/\\/g, '\\\\')
      .replace(/"/g, '\\"'),
  ).toString('latin1');
