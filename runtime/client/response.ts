import { readJson } from '../../api/schema/index.ts';
import { ApiError, type Status } from '../../api/status/index.ts';
import { isRecord } from '../../base/collections/index.ts';
import { ClientError } from './client-error.ts';
import { type TransportResponse, WholeBody } from './transport.ts';

type Headers = TransportResponse['headers'];

/** Returns the first value of a header; `name` is in lower case. */
export const headerOf = (headers: Headers, name: string): string | undefined => {
  const value = headers[name];
  return typeof value === 'string' ? value : value?.[0];
};

const decoder = new TextDecoder();

/** Creates the error of a response above its size limit. */
export const responseTooLarge = (limitBytes: number): ClientError =>
  new ClientError('ERR_TOO_LARGE', `the response is longer than ${limitBytes} bytes`);

/**
 * Reads a whole body as UTF-8 text. If the body is longer than `limitBytes` (default no limit), closes the
 * connection and throws `ERR_TOO_LARGE`.
 */
export async function readText(body: AsyncIterable<Uint8Array>, limitBytes = Infinity): Promise<string> {
  if (body instanceof WholeBody) {
    if (body.bytes.length > limitBytes) throw responseTooLarge(limitBytes);
    return decoder.decode(body.bytes);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > limitBytes) throw responseTooLarge(limitBytes);
    chunks.push(chunk);
  }
  const only = chunks.length === 1 ? chunks[0] : undefined;
  return decoder.decode(only ?? Buffer.concat(chunks));
}

/**
 * Returns the seconds of a `Retry-After` header (RFC 9110, section 10.2.3), or undefined if it is missing or
 * invalid.
 * @param nowMs milliseconds since the epoch, subtracted from a header that contains a date
 */
export function retryAfterSeconds(headers: Headers, nowMs: number): number | undefined {
  const text = headerOf(headers, 'retry-after')?.trim();
  if (text === undefined || text === '') return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - nowMs) / 1000));
}

/**
 * Parses JSON without loss of precision: an integer outside the safe range becomes a bigint. Throws
 * `ERR_PROTOCOL` for invalid JSON.
 * @param what description of the JSON for the error message
 */
export function parseJson(text: string, what: string): unknown {
  try {
    return readJson(text);
  } catch (cause) {
    throw new ClientError('ERR_PROTOCOL', `${what} is not valid JSON`, { cause });
  }
}

const isStatus = (value: unknown): value is Partial<Status> => isRecord(value) && value['kind'] === 'Status';

/**
 * Converts a received `Status` to an error. A missing code is replaced by the HTTP status.
 * @param what description of the request for the error message
 * @param words first line of a body that is not a `Status`
 */
export function statusError(received: unknown, httpCode: number, what: string, words = ''): ApiError {
  if (!isStatus(received))
    return new ApiError({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: `${what} returned HTTP ${httpCode} without a Status${words && `: ${words}`}`,
      reason: 'Unknown',
      code: httpCode,
    });
  return new ApiError({
    ...received,
    kind: 'Status',
    apiVersion: 'v1',
    metadata: isRecord(received.metadata) ? received.metadata : {},
    status: 'Failure',
    code: typeof received.code === 'number' && received.code > 0 ? received.code : httpCode,
  });
}

/** First line of a short plain-text body, as sent by proxies and by ports of another protocol. */
const FIRST_LINE = /^[^<{\p{Cc}]{1,200}(?=\r?\n|$)/u;

/** Converts a response with an error status and any body to an error. */
export function errorOfResponse(
  httpCode: number,
  text: string,
  retryAfter: number | undefined,
  what: string,
): ApiError {
  let received: unknown;
  try {
    received = readJson(text);
  } catch {
    received = undefined;
  }
  const error = statusError(received, httpCode, what, FIRST_LINE.exec(text)?.[0]);
  if (retryAfter !== undefined && error.retryAfterSeconds === undefined)
    error.status.details = { ...error.status.details, retryAfterSeconds: retryAfter };
  return error;
}
