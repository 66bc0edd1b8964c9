import { type TransportResponse, WholeBody } from '../../runtime/index.ts';

/** A whole answer, read. */
export interface Answer {
  readonly status: number;
  readonly headers: TransportResponse['headers'];
  readonly text: Uint8Array;
}

const status = (
  code: number,
  reason: string,
  message: string,
  headers: Record<string, string> = {},
): Answer => ({
  status: code,
  headers: { 'content-type': 'application/json', ...headers },
  text: new TextEncoder().encode(
    JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message, code }),
  ),
});

/** Answers that say that a request was not carried out. */
const refusals = {
  conflict: status(
    409,
    'Conflict',
    'the object has been modified; please apply your changes to the latest version',
  ),
  'too-many-requests': status(429, 'TooManyRequests', 'too many requests, please try again later', {
    'retry-after': '1',
  }),
  'server-error': status(500, 'InternalError', 'an internal error occurred'),
  unavailable: status(503, 'ServiceUnavailable', 'the server is currently unable to handle the request'),
};

export const refusalOf = (fault: keyof typeof refusals): Answer => refusals[fault];

/** The history no longer reaches back to the version asked for. */
export const gone: Answer = status(410, 'Expired', 'the provided continue parameter is too old');

/** The same in the form of a watch event. */
export const goneEvent: Uint8Array = Buffer.concat([
  Buffer.from('{"type":"ERROR","object":'),
  status(410, 'Expired', 'too old resource version').text,
  Buffer.from('}\n'),
]);

export const bodyOf = ({ status, headers, text }: Answer): TransportResponse => ({
  status,
  headers,
  body: new WholeBody(text),
});
