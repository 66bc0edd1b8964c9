/** Amount of detail in a request's audit events, in ascending order. */
export type AuditLevel = 'None' | 'Metadata' | 'Request' | 'RequestResponse';

/** All levels, in ascending order. */
export const AUDIT_LEVELS: readonly AuditLevel[] = ['None', 'Metadata', 'Request', 'RequestResponse'];

/** True if `level` includes what `least` includes. */
export const isAtLeast = (level: AuditLevel, least: AuditLevel): boolean =>
  AUDIT_LEVELS.indexOf(level) >= AUDIT_LEVELS.indexOf(least);

/**
 * Receiver of what the stages report about a request for its audit events. Nothing reported here is ever sent
 * to the client. Reporting costs almost nothing unless a policy asks for it.
 */
export interface AuditTrail {
  /**
   * Level that the policy assigns to this request; `None` until the user is known, and always if there is no
   * policy.
   */
  readonly level: AuditLevel;
  /**
   * Adds an annotation; the first value of a key is kept. `least` is the lowest level at which it is written,
   * `Metadata` by default. May be called before the level is known.
   */
  annotate(key: string, value: string, least?: AuditLevel): void;
  /**
   * Reports the request's object. From `Metadata` on, its metadata completes the object reference; from
   * `Request` on, its current state is recorded. `whole` builds the recorded object if that is more than
   * `object`.
   */
  request(object: unknown, whole?: () => unknown): void;
  /** Reports a body that is not an object itself, as sent: a patch, or delete options. */
  body(body: unknown): void;
  /**
   * Reports the response object, which must not change any more. A `Status` is recorded from `Metadata` on,
   * anything else at `RequestResponse` only.
   */
  response(object: unknown): void;
}

/** Trail of every request if no policy is set. */
export const NO_TRAIL: AuditTrail = {
  level: 'None',
  annotate() {},
  request() {},
  body() {},
  response() {},
};
