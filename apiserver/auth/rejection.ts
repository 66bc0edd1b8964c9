import { ApiError, unauthorized } from '../../api/status/index.ts';
import { CodedError, messageOf } from '../../base/errors/index.ts';
import { aggregateMessages } from '../aggregate-messages.ts';

/** Error with the reasons why a credential was rejected. Never contains the credential. */
class CredentialRejected extends CodedError<'ERR_CREDENTIAL_REJECTED'> {
  readonly reasons: readonly string[];

  constructor(reasons: readonly string[]) {
    super('ERR_CREDENTIAL_REJECTED', aggregateMessages(reasons));
    this.reasons = reasons;
  }
}

/**
 * Creates the error for a credential of a known type that is invalid. Clients see only `Unauthorized`. The
 * reasons become the error's `cause`, for log lines and for `status.error` of a TokenReview. They never
 * contain the credential.
 */
export const rejected = (...reasons: readonly string[]): ApiError =>
  new ApiError(unauthorized().status, { cause: new CredentialRejected(reasons) });

/** Returns the reasons of a rejection. Unauthenticated clients must not see these. */
export const rejectionReasons = (error: ApiError): readonly string[] => {
  const { cause } = error;
  if (cause instanceof CredentialRejected) return cause.reasons;
  return [cause === undefined ? error.message : messageOf(cause)];
};

/** Returns the reasons of a rejection as one string. */
export const rejectionReason = (error: ApiError): string => aggregateMessages(rejectionReasons(error));

/** True if `thrown` is the rejection of an invalid credential, and not another failure. */
export const isRejection = (thrown: unknown): thrown is ApiError =>
  thrown instanceof ApiError && thrown.code === 401;
