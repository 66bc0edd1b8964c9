import { type TransportResponse, WholeBody } from '../../runtime/index.ts';

/** A complete HTTP response with its body. */
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

/** Error responses to requests that the network rejects before they reach the server. */
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

/** Error response for a continue token whose version is older than the retained history. */
export const gone: Answer = status(410, 'Expired', 'the provided continue parameter is too old');

/** Watch event with the error for a version older than the retained history. */
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
