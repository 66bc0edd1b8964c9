/** Amount of detail in the audit events of a request; each level includes the previous ones. */
export type AuditLevel = 'None' | 'Metadata' | 'Request' | 'RequestResponse';

/** All levels, in ascending order. */
export const AUDIT_LEVELS: readonly AuditLevel[] = ['None', 'Metadata', 'Request', 'RequestResponse'];

/** True if `level` is `least` or a higher level. */
export const isAtLeast = (level: AuditLevel, least: AuditLevel): boolean =>
  AUDIT_LEVELS.indexOf(level) >= AUDIT_LEVELS.indexOf(least);

/**
 * Receiver of the audit data that the server's stages report about one request. Reported data is never sent
 * to the client. Reporting is cheap unless the policy records the request.
 */
export interface AuditTrail {
  /**
   * Level that the policy assigns to this request. The level is `None` until the user is authenticated, and
   * always if there is no policy.
   */
  readonly level: AuditLevel;
  /**
   * Adds an annotation; later values of the same key are ignored. `least` is the lowest level whose events
   * contain the annotation, by default `Metadata`. Callers may annotate before the level is known.
   */
  annotate(key: string, value: string, least?: AuditLevel): void;
  /**
   * Reports the request's object. From level `Metadata` on, the object's metadata completes the object
   * reference. From level `Request` on, the object is recorded in its current state. `whole` returns the
   * object to record if `object` is only a part of that object.
   */
  request(object: unknown, whole?: () => unknown): void;
  /** Reports a request body that is not an API object: a patch, or delete options. */
  body(body: unknown): void;
  /**
   * Reports the response object, which must not change afterwards. A `Status` is recorded from level
   * `Metadata` on, other objects only at level `RequestResponse`.
   */
  response(object: unknown): void;
}

/** Trail of every request if the server has no audit policy. */
export const NO_TRAIL: AuditTrail = {
  level: 'None',
  annotate() {},
  request() {},
  body() {},
  response() {},
};
