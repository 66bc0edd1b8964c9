import { ApiError, unauthorized } from '../../api/status/index.ts';
import { CodedError, messageOf } from '../../base/errors/index.ts';
import { aggregateMessages } from '../aggregate-messages.ts';

/** Reasons why a credential was refused. Never contains the credential. */
class CredentialRejected extends CodedError<'ERR_CREDENTIAL_REJECTED'> {
  readonly reasons: readonly string[];

  constructor(reasons: readonly string[]) {
    super('ERR_CREDENTIAL_REJECTED', aggregateMessages(reasons));
    this.reasons = reasons;
  }
}

/**
 * Creates the rejection of a credential that is of a known kind but invalid. Clients see only `Unauthorized`.
 * The reasons, which never contain the credential, are the cause: for logs and for `status.error` of a
 * TokenReview.
 */
export const rejected = (...reasons: readonly string[]): ApiError =>
  new ApiError(unauthorized().status, { cause: new CredentialRejected(reasons) });

/** Returns the reasons of a rejection; not for unauthenticated clients. */
export const rejectionReasons = (error: ApiError): readonly string[] => {
  const { cause } = error;
  if (cause instanceof CredentialRejected) return cause.reasons;
  return [cause === undefined ? error.message : messageOf(cause)];
};

/** Returns the reasons of a rejection as one text. */
export const rejectionReason = (error: ApiError): string => aggregateMessages(rejectionReasons(error));

/** True if `thrown` means that a credential is invalid; anything else is a defect or a failure. */
export const isRejection = (thrown: unknown): thrown is ApiError =>
  thrown instanceof ApiError && thrown.code === 401;
