/** How much of a request its audit events tell, in ascending order. */
export type AuditLevel = 'None' | 'Metadata' | 'Request' | 'RequestResponse';

export const AUDIT_LEVELS: readonly AuditLevel[] = ['None', 'Metadata', 'Request', 'RequestResponse'];

export const isAtLeast = (level: AuditLevel, least: AuditLevel): boolean =>
  AUDIT_LEVELS.indexOf(level) >= AUDIT_LEVELS.indexOf(least);

/**
 * What the parts of the server tell about a request for its audit events. Nothing told here is ever sent to the client.
 * Telling costs next to nothing where no policy asks for it.
 */
export interface AuditTrail {
  /** What the policy asks for of this request; `None` until it is known who asks, and for good where there is no policy. */
  readonly level: AuditLevel;
  /**
   * Adds one annotation; the first value of a key stays. `least` is the level from which on it is written, `Metadata` by
   * default. May be told before the level is known.
   */
  annotate(key: string, value: string, least?: AuditLevel): void;
  /**
   * The object a request brings; from `Metadata` on its metadata complete the object reference, from `Request` on it is
   * written as it is now. `whole` makes what is written, for the trail alone, where that is more than `object`.
   */
  request(object: unknown, whole?: () => unknown): void;
  /** A body that is no object itself, as it was sent: a patch, the options of a delete. */
  body(body: unknown): void;
  /**
   * The object of the answer, which is not changed any more. A `Status` is told from `Metadata` on, anything else at
   * `RequestResponse` alone.
   */
  response(object: unknown): void;
}

/** Of every request where no policy is set. */
export const NO_TRAIL: AuditTrail = {
  level: 'None',
  annotate() {},
  request() {},
  body() {},
  response() {},
};
