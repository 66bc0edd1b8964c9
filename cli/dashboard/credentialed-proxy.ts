import {
  type HttpHandler,
  type HttpHeaders,
  firstHeader,
  readTarget,
  textResponse,
} from '../../base/http/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import type { Transport } from '../../runtime/index.ts';
import { handOn } from '../program/hand-on.ts';

/** Request and response headers that are forwarded. None of them contains a credential of the browser. */
const REQUEST_HEADERS = ['accept', 'content-type', 'if-match'];
const RESPONSE_HEADERS = ['content-type', 'content-disposition', 'cache-control', 'retry-after', 'warning'];
/** Maximum size of a request body in bytes, the limit of the API server. */
const BODY_BYTES = 3 * 1024 * 1024;
const HEADERS_TIMEOUT_MS = 60_000;

/**
 * Creates a handler that forwards requests of a local page to an API server, over a transport with a
 * credential. Requests caused by other sites are rejected, because only the page served by this program may
 * use the credential.
 */
export function createCredentialedProxy(transport: Transport): HttpHandler {
  return async (request) => {
    const { method, url, headers, signal } = request;
    if (!isOwn(headers)) return textResponse(403, 'only the page that is served here may ask\n');
    const { path, query } = readTarget(url);
    try {
      const body = await request.body(BODY_BYTES);
      const answer = await transport.send({
        method,
        path: url,
        headers: Object.fromEntries(
          REQUEST_HEADERS.flatMap((name) => {
            const value = firstHeader(headers, name);
            return value === undefined ? [] : [[name, value]];
          }),
        ),
        ...(body.length === 0 ? {} : { body }),
        signal,
        streaming: ['true', '1'].includes(query.get('watch') ?? '') || path.endsWith('/inspect'),
        headersTimeoutMs: HEADERS_TIMEOUT_MS,
      });
      return {
        status: answer.status,
        headers: Object.fromEntries(
          RESPONSE_HEADERS.flatMap((name) =>
            answer.headers[name] === undefined ? [] : [[name, answer.headers[name]]],
          ),
        ),
        body: (sink) => void handOn(answer.body, sink),
      };
    } catch (thrown) {
      return textResponse(502, `${messageOf(thrown)}\n`);
    }
  };
}

/**
 * True if the request was sent by the page that this program serves. Browsers send the origin; other programs
 * do not and need no protection.
 */
function isOwn(headers: HttpHeaders): boolean {
  const origin = firstHeader(headers, 'origin');
  const site = firstHeader(headers, 'sec-fetch-site');
  return (
    (origin === undefined || origin === `http://${firstHeader(headers, 'host') ?? ''}`) &&
    (site === undefined || site === 'same-origin' || site === 'none')
  );
}
