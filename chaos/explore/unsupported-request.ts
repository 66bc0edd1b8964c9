import { CodedError } from '../../base/errors/index.ts';

/**
 * Thrown for a request that the model of the API server cannot answer as the server does. A search that meets
 * it proves nothing, so its verdict is `unknown`.
 */
export class UnsupportedRequestError extends CodedError<'ERR_UNSUPPORTED_REQUEST'> {
  constructor(what: string) {
    super('ERR_UNSUPPORTED_REQUEST', what);
  }
}
