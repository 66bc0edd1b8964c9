import { ApiError, unauthorized } from '../../api/status/api-error.ts';
import { CodedError, messageOf } from '../../base/errors/coded.ts';

/**
 * A credential that is of a known kind, and bad. Clients see `Unauthorized` alone; the reason (never the credential)
 * is the cause, for logs and for `status.error` of a TokenReview.
 */
export const rejected = (reason: string): ApiError =>
  new ApiError(unauthorized().status, { cause: new CodedError('ERR_CREDENTIAL_REJECTED', reason) });

/** Why a credential was rejected, for those who may know. */
export const rejectionReason = (error: ApiError): string =>
  error.cause === undefined ? error.message : messageOf(error.cause);
