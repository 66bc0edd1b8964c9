import { ApiError, unauthorized } from '../../api/status/index.ts';
import { CodedError, messageOf } from '../../base/errors/index.ts';

/** Why a credential is not taken. Never holds the credential. */
class CredentialRejected extends CodedError<'ERR_CREDENTIAL_REJECTED'> {
  readonly reasons: readonly string[];

  constructor(reasons: readonly string[]) {
    super('ERR_CREDENTIAL_REJECTED', joinReasons(reasons));
    this.reasons = reasons;
  }
}

/** Several reasons as one text, `[a, b]`, each of them once; a single one as it is. */
export function joinReasons(reasons: readonly string[]): string {
  const distinct = [...new Set(reasons)];
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`;
}

/**
 * A credential that is of a known kind, and bad. Clients see `Unauthorized` alone; the reasons (never the credential)
 * are the cause, for logs and for `status.error` of a TokenReview.
 */
export const rejected = (...reasons: readonly string[]): ApiError =>
  new ApiError(unauthorized().status, { cause: new CredentialRejected(reasons) });

/** Why a credential was rejected, for those who may know. */
export const rejectionReasons = (error: ApiError): readonly string[] => {
  const { cause } = error;
  if (cause instanceof CredentialRejected) return cause.reasons;
  return [cause === undefined ? error.message : messageOf(cause)];
};

/** The same as one text. */
export const rejectionReason = (error: ApiError): string => joinReasons(rejectionReasons(error));

/** Whether what was thrown says that a credential is bad; anything else is a defect or a failure. */
export const isRejection = (thrown: unknown): thrown is ApiError =>
  thrown instanceof ApiError && thrown.code === 401;
