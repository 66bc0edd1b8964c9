import { BRAND } from '../../base/errors/brand.ts';
import { CodedError, messageOf } from '../../base/errors/coded.ts';

/**
 * What went wrong without an answer of the API server (an answer that refuses is an `ApiError`).
 *
 * - `ERR_CONNECTION`: no connection, or one that broke; the request may have been carried out.
 * - `ERR_UNREACHABLE`: no connection came about, so nothing was sent.
 * - `ERR_TLS`: the server's certificate, or ours, was not accepted.
 * - `ERR_TIMEOUT`: no whole answer in time; the request may have been carried out.
 * - `ERR_PROTOCOL`: an answer that is none of the API's.
 * - `ERR_TOO_LARGE`: an answer above the client's limit, read no further; the request may have been carried out.
 * - `ERR_ARGUMENT`: a call that would have asked for something else than it says (an empty name).
 * - `ERR_CONFIG`: a client configuration that cannot be used.
 * - `ERR_CREDENTIAL`: a credential that cannot be had (token file, plugin).
 * - `ERR_CLOSED`: the client was closed.
 * - `ERR_FENCED`: a write of a leader whose lease may be lost; it was not sent.
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
  | 'ERR_CREDENTIAL'
  | 'ERR_CLOSED'
  | 'ERR_FENCED';

export class ClientError extends CodedError<ClientErrorCode> {
  static override readonly [BRAND]: string = 'ClientError';
}

export const isClientError = (thrown: unknown, ...codes: readonly ClientErrorCode[]): thrown is ClientError =>
  thrown instanceof ClientError && (codes.length === 0 || codes.includes(thrown.code));

/** Anything a transport threw, as a `ClientError`. */
export const toClientError = (thrown: unknown): ClientError =>
  thrown instanceof ClientError
    ? thrown
    : new ClientError('ERR_CONNECTION', `connection failed: ${messageOf(thrown)}`, { cause: thrown });
