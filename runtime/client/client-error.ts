import { BRAND, CodedError, messageOf } from '../../base/errors/index.ts';

/**
 * Codes of failures without a response of the API server. (An error response is an `ApiError`.)
 *
 * - `ERR_CONNECTION`: the connection broke; the request may have been executed;
 * - `ERR_UNREACHABLE`: no connection was established, so nothing was sent;
 * - `ERR_TLS`: the certificate of the server or of the client was not accepted;
 * - `ERR_TIMEOUT`: no complete response within the time limit; the request may have been executed;
 * - `ERR_PROTOCOL`: the response does not follow the API's format;
 * - `ERR_TOO_LARGE`: the response is above the client's limit and was not read further; the request may have
 * been executed;
 * - `ERR_ARGUMENT`: an invalid argument, such as an empty name, which would address the whole collection;
 * - `ERR_CONFIG`: an unusable client configuration;
 * - `ERR_CLIENT_CERTIFICATE`: a user without a client certificate and its key;
 * - `ERR_CREDENTIAL`: no credential from the token file, plugin or token issuer;
 * - `ERR_CLOSED`: the client was closed;
 * - `ERR_FENCED`: a write of a leader whose lease may be lost; the write was not sent.
 */
export type ClientErrorCode =
  | 'ERR_CONNECTION'
  | 'ERR_UNREACHABLE'
  | 'ERR_TLS'
  | 'ERR_TIMEOUT'
  | 'ERR_PROTOCOL'
  | 'ERR_TOO_LARGE'
  | 'ERR_ARGUMENT'
  | 'ERR_CONFIG'
  | 'ERR_CLIENT_CERTIFICATE'
  | 'ERR_CREDENTIAL'
  | 'ERR_CLOSED'
  | 'ERR_FENCED';

/** Failure without a response of the API server. */
export class ClientError extends CodedError<ClientErrorCode> {
  static override readonly [BRAND]: string = 'ClientError';
}

/** True for a `ClientError` with one of `codes`, or with any code if `codes` is empty. */
export const isClientError = (thrown: unknown, ...codes: readonly ClientErrorCode[]): thrown is ClientError =>
  thrown instanceof ClientError && (codes.length === 0 || codes.includes(thrown.code));

/** Wraps an error of a transport in a `ClientError`. */
export const toClientError = (thrown: unknown): ClientError =>
  thrown instanceof ClientError
    ? thrown
    : new ClientError('ERR_CONNECTION', `connection failed: ${messageOf(thrown)}`, { cause: thrown });
