import { type HttpBody, type HttpResponse, textResponse } from '../../../base/http/index.ts';
import { ApiError, type Status } from '../../../api/status/index.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import type { RequestContext } from '../../request.ts';
import { AccessDenied } from './access-denied.ts';
import { binaryValue } from './binary.ts';
import { type Negotiated, createNegotiator, isPretty, PLAIN_JSON } from './negotiation.ts';
import { toYaml } from '../../../api/yaml/index.ts';
import { writeJson } from '../../../api/schema/index.ts';

/** Returns a response with the body `body`. */
export const bytesResponse = (status: number, mediaType: string, body: HttpBody): HttpResponse => ({
  status,
  headers: { 'content-type': mediaType },
  body,
});

/** Returns the 404 of Go's router for a path without a handler. */
export const pageNotFound = (): HttpResponse => textResponse(404, '404 page not found\n');

/** Returns indented JSON without content negotiation, as upstream does for `/` and `/version`. */
export const indentedResponse = (value: object): HttpResponse =>
  bytesResponse(200, 'application/json', Buffer.from(writeJson(value, undefined, 2)));

/** Returns a value in the negotiated form. Compact JSON ends with a line feed, as Go's encoder writes it. */
export function objectResponse(
  context: RequestContext,
  negotiated: Negotiated,
  status: number,
  value: unknown,
): HttpResponse {
  context.audit.response(value);
  return bytesResponse(status, negotiated.mediaType, encodeValue(context, negotiated, value));
}

function encodeValue(context: RequestContext, negotiated: Negotiated, value: unknown): Buffer {
  if (negotiated.format === 'protobuf') return binaryValue(context, value);
  if (negotiated.format === 'yaml') return Buffer.from(toYaml(value));
  if (negotiated.pretty || isPretty(context.info.query, context.http.headers))
    return Buffer.from(writeJson(value, undefined, 2));
  return Buffer.from(`${writeJson(value)}\n`);
}

/** Returns an error as its `Status`, with `Retry-After` if the client should wait. */
export function errorResponse(
  context: RequestContext,
  error: ApiError,
  vocabulary: Vocabulary,
): HttpResponse {
  const response = objectResponse(context, formOfErrors(context, vocabulary), error.code, error.status);
  const wait = error.retryAfterSeconds;
  const headers: Record<string, string> = { 'content-type': response.headers['content-type'] as string };
  if (wait !== undefined && wait > 0) headers['retry-after'] = String(wait);
  if (error instanceof AccessDenied) headers['x-content-type-options'] = 'nosniff';
  return { ...response, headers };
}

const negotiators = new WeakMap<Vocabulary, ReturnType<typeof createNegotiator>>();

/** Returns the negotiator of a vocabulary. All callers share it. */
export function negotiatorOf(vocabulary: Vocabulary): ReturnType<typeof createNegotiator> {
  let negotiator = negotiators.get(vocabulary);
  if (negotiator === undefined) {
    negotiator = createNegotiator(vocabulary);
    negotiators.set(vocabulary, negotiator);
  }
  return negotiator;
}

/**
 * Returns the form of an error: YAML, JSON or protobuf, never a Table. The form is JSON if the client accepts
 * none of them.
 */
function formOfErrors(context: RequestContext, vocabulary: Vocabulary): Negotiated {
  try {
    const form = negotiatorOf(vocabulary)(context.http.headers, true);
    return form.as === undefined ? form : PLAIN_JSON;
  } catch (thrown) {
    if (thrown instanceof ApiError) return PLAIN_JSON;
    throw thrown;
  }
}

/** Returns the `Status` of a success without an object; `details` names the object concerned. */
export const successStatus = (details: Status['details']): Omit<Status, 'code'> => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  ...(details === undefined ? {} : { details }),
});
