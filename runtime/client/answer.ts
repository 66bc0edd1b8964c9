import { readJson } from '../../api/schema/exact-json.ts';
import { ApiError, type Status } from '../../api/status/api-error.ts';
import { isRecord } from '../../base/collections/record.ts';
import { ClientError } from './client-error.ts';
import { type TransportResponse, WholeBody } from './transport.ts';

type Headers = TransportResponse['headers'];

export const headerOf = (headers: Headers, name: string): string | undefined => {
  const value = headers[name];
  return typeof value === 'string' ? value : value?.[0];
};

const decoder = new TextDecoder();

export const answerTooLarge = (limitBytes: number): ClientError =>
  new ClientError('ERR_TOO_LARGE', `the answer is longer than ${limitBytes} bytes`);

/** Reads a body to its end as text. Throws `ERR_TOO_LARGE` above `limitBytes`, and hangs up. Default: as long as it is. */
export async function readText(body: AsyncIterable<Uint8Array>, limitBytes = Infinity): Promise<string> {
  if (body instanceof WholeBody) {
    if (body.bytes.length > limitBytes) throw answerTooLarge(limitBytes);
    return decoder.decode(body.bytes);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > limitBytes) throw answerTooLarge(limitBytes);
    chunks.push(chunk);
  }
  const only = chunks.length === 1 ? chunks[0] : undefined;
  return decoder.decode(only ?? Buffer.concat(chunks));
}

/** Seconds of a `Retry-After` header (RFC 9110 section 10.2.3): a number, or a date seen from `nowMs`. */
export function retryAfterSeconds(headers: Headers, nowMs: number): number | undefined {
  const text = headerOf(headers, 'retry-after')?.trim();
  if (text === undefined || text === '') return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - nowMs) / 1000));
}

/** Reads an answer to the last digit: an integer that is no safe one is a bigint. Throws `ERR_PROTOCOL`. */
export function parseJson(text: string, what: string): unknown {
  try {
    return readJson(text);
  } catch (cause) {
    throw new ClientError('ERR_PROTOCOL', `${what} is no JSON`, { cause });
  }
}

const isStatus = (value: unknown): value is Partial<Status> => isRecord(value) && value['kind'] === 'Status';

/**
 * A received `Status` as an error; what it leaves out comes from the HTTP answer. `words`: what was received in place of one,
 * for people to read.
 */
export function statusError(received: unknown, httpCode: number, what: string, words = ''): ApiError {
  if (!isStatus(received))
    return new ApiError({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: `${what} was answered with ${httpCode} and no Status${words && `: ${words}`}`,
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

/** Of a proxy's, or of a port that speaks something else: plain text that is short enough to be shown. */
const FIRST_LINE = /^[^<{\p{Cc}]{1,200}(?=\r?\n|$)/u;

/** The error that a refusing answer stands for, whatever its body. */
export function refusal(
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
