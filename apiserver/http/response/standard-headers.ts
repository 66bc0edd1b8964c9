import type { HttpResponse } from '../../../base/http/index.ts';
import type { RequestContext } from '../../request.ts';

/**
 * Maximum number of bytes of all warnings in one response. Above it, each warning is cut to `WARNING_LIMIT`,
 * and warnings beyond the maximum are dropped, as upstream does.
 */
const WARNINGS_LIMIT = 4 * 1024;
const WARNING_LIMIT = 256;

/** Adds the headers that every response has: its id, the cache directive and the warnings. */
export function withStandardHeaders(context: RequestContext, response: HttpResponse): HttpResponse {
  const { responseHeaders } = context;
  // Assigned one by one: records with the same headers then share a hidden class, unlike spread records.
  const headers: Record<string, string | readonly string[]> = {
    'audit-id': context.id,
    'cache-control': 'no-cache, private',
  };
  for (const name in responseHeaders) headers[name] = responseHeaders[name] ?? '';
  for (const name in response.headers) headers[name] = response.headers[name] ?? '';
  if (context.warnings.length > 0) headers['warning'] = warningHeaders(context.warnings);
  return { status: response.status, headers, body: response.body };
}

/**
 * Returns `299 - "text"` for each warning, quoted as RFC 7234 requires
 * (https://www.rfc-editor.org/rfc/rfc7234#section-5.5).
 */
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

/**
 * Escapes a warning. Node writes header values as Latin-1 and upstream as UTF-8; the conversion yields the
 * same bytes.
 */
const quotable = (text: string): string =>
  Buffer.from(
    text
      .replace(/\p{Cc}+/gu, ' ')
      .replace(/\\/g, '\\\\')
      .replace(/"/g, '\\"'),
  ).toString('latin1');
