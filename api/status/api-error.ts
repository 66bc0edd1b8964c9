import { BRAND, hasBrand } from '../../base/errors/index.ts';
import type { FieldError, FieldErrors } from './field-errors.ts';
import { goQuote } from './go-quote.ts';
import { cutText } from './short-text.ts';

/** One cause of an error. */
export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

/** Machine-readable details of a status. */
export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: readonly StatusCause[];
  retryAfterSeconds?: number;
}

/** Body of every error response and of some success responses (`meta/v1`). */
export interface Status {
  kind: 'Status';
  apiVersion: 'v1';
  metadata: { continue?: string };
  status: 'Success' | 'Failure';
  message?: string;
  reason?: StatusReason;
  details?: StatusDetails;
  code: number;
}

/** Machine-readable reason of an error. */
export type StatusReason =
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Gone'
  | 'Invalid'
  | 'ServerTimeout'
  | 'Timeout'
  | 'TooManyRequests'
  | 'BadRequest'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'RequestEntityTooLarge'
  | 'UnsupportedMediaType'
  | 'InternalError'
  | 'Expired'
  | 'ServiceUnavailable'
  | 'Unknown';

/** Name of a resource in messages. `group` is the served group, `''` for the core group. */
export interface ResourceName {
  readonly group: string;
  readonly resource: string;
}

/** Error with a `Status`. The server creates it, and the client receives it. */
export class ApiError extends Error {
  static readonly [BRAND]: string = 'ApiError';

  static override [Symbol.hasInstance](value: unknown): boolean {
    return hasBrand(this, value);
  }

  readonly status: Status;

  constructor(status: Status, options?: { cause?: unknown }) {
    super(status.message ?? status.reason ?? String(status.code), options);
    this.name = 'ApiError';
    this.status = status;
  }

  get code(): number {
    return this.status.code;
  }

  get reason(): StatusReason {
    return this.status.reason ?? 'Unknown';
  }

  /** Seconds that the client is asked to wait before the next attempt. */
  get retryAfterSeconds(): number | undefined {
    return this.status.details?.retryAfterSeconds;
  }
}

const failure = (
  code: number,
  reason: StatusReason | undefined,
  message: string,
  details?: StatusDetails,
): ApiError =>
  new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    ...(reason === undefined ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  });

/** Formats the name of a resource with its group: `pods`, `jobs.batch`. */
export const qualified = ({ group, resource }: ResourceName): string =>
  group === '' ? resource : `${resource}.${group}`;

const detailsOf = ({ group, resource }: ResourceName, name: string): StatusDetails => ({
  ...(name === '' ? {} : { name }),
  ...(group === '' ? {} : { group }),
  ...(resource === '' ? {} : { kind: resource }),
});

/** Returns the 400 error for an invalid request. */
export const badRequest = (message: string): ApiError => failure(400, 'BadRequest', message);

/** Returns the 401 error for failed authentication. */
export const unauthorized = (message = 'Unauthorized'): ApiError => failure(401, 'Unauthorized', message);

/** Returns the 403 error of authorization or admission. `message` names the user and the denied action. */
export const forbidden = (resource: ResourceName, name: string, message: string): ApiError =>
  failure(
    403,
    'Forbidden',
    name === '' && resource.resource === ''
      ? `forbidden: ${message}`
      : `${qualified(resource)}${name === '' ? '' : ` ${goQuote(name)}`} is forbidden: ${message}`,
    detailsOf(resource, name),
  );

/** Returns the 404 error for a missing object. */
export const notFound = (resource: ResourceName, name: string): ApiError =>
  failure(404, 'NotFound', `${qualified(resource)} ${goQuote(name)} not found`, detailsOf(resource, name));

/** Returns the 404 error for a path that is not served. */
export const unknownPath = (): ApiError =>
  failure(404, 'NotFound', 'the server could not find the requested resource', {});

/** Returns the 405 error for an unsupported method. */
export const methodNotAllowed = (
  message = 'the server does not allow this method on the requested resource',
): ApiError => failure(405, 'MethodNotAllowed', message, {});

/**
 * Returns the 405 error for an unsupported method on a custom resource. The message contains the verb, which
 * is `''` for a method without a verb.
 */
export const methodNotSupported = (resource: ResourceName, verb: string): ApiError =>
  failure(
    405,
    'MethodNotAllowed',
    `${verb} is not supported on resources of kind ${goQuote(qualified(resource))}`,
    detailsOf(resource, ''),
  );

/** Returns the 406 error for an unsupported `Accept` header. */
export const notAcceptable = (message: string): ApiError => failure(406, 'NotAcceptable', message);

/** Returns the 409 error for a create of an existing object. */
export const alreadyExists = (resource: ResourceName, name: string): ApiError =>
  failure(
    409,
    'AlreadyExists',
    `${qualified(resource)} ${goQuote(name)} already exists`,
    detailsOf(resource, name),
  );

/** Returns the 409 error for a conflicting write. */
export const conflict = (resource: ResourceName, name: string, message: string): ApiError =>
  failure(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(resource)} ${goQuote(name)}: ${message}`,
    detailsOf(resource, name),
  );

/** Message of a conflict. It must not change, because clients compare it. */
export const MODIFIED =
  'the object has been modified; please apply your changes to the latest version and try again';

/** Returns the 410 error for data that is no longer available. */
export const gone = (message: string): ApiError => failure(410, 'Gone', message);

/**
 * Returns the 410 error for a resource version that is no longer available. `continueToken` continues a list
 * from the current version.
 */
export function expired(message: string, continueToken?: string): ApiError {
  const error = failure(410, 'Expired', message);
  if (continueToken !== undefined) error.status.metadata.continue = continueToken;
  return error;
}

/** Returns the 413 error for a request body that exceeds the limit. */
export const tooLarge = (message: string): ApiError => failure(413, 'RequestEntityTooLarge', message);

/** Returns the 415 error for an unsupported content type. */
export const unsupportedMediaType = (message: string): ApiError =>
  failure(415, 'UnsupportedMediaType', message);

/**
 * Returns the 415 error of upstream's router for an unsupported content type. The router rejects such a
 * request before any handler runs.
 */
export const unroutedBody = (): ApiError =>
  failure(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});

/**
 * Returns the 406 error of upstream's router for an unsupported `Accept` header, and for a missing mandatory
 * body.
 */
export const unroutedAnswer = (): ApiError => failure(406, 'NotAcceptable', '406: Not Acceptable', {});

/**
 * Maximum number of causes of a Status, and maximum number of characters of all causes. The message repeats
 * the causes, so a Status has at most about 64 KiB of text.
 */
const MAX_CAUSES = 100;
const MAX_TEXT = 32 * 1024;

/**
 * Returns the 422 error for an invalid object: `CronJob.batch "x" is invalid: spec.schedule: …`. `kind` has
 * its served group. The message contains the first errors that fit and the number of omitted errors.
 */
export function invalid(kind: { group: string; kind: string }, name: string, errors: FieldErrors): ApiError {
  const shown = firstErrors(errors);
  const each = [...new Set(shown.map((error) => `${error.field}: ${error.message}`))];
  if (shown.length < errors.length) each.push(`… and ${errors.length - shown.length} more errors`);
  const list = each.length === 1 ? each[0] : `[${each.join(', ')}]`;
  const qualifiedKind = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
  return failure(422, 'Invalid', `${qualifiedKind} ${goQuote(cutText(name))} is invalid: ${list}`, {
    ...(name === '' ? {} : { name: cutText(name) }),
    ...(kind.group === '' ? {} : { group: kind.group }),
    ...(kind.kind === '' ? {} : { kind: kind.kind }),
    causes: shown.map(({ type, message, field }) => ({ reason: type, message, field })),
  });
}

/**
 * Returns the errors that fit into one Status. The first error is always included, and is shortened if it is
 * too long.
 */
function firstErrors(errors: FieldErrors): FieldErrors {
  const shown: FieldError[] = [];
  let room = MAX_TEXT;
  for (const { type, field, message } of errors) {
    if (shown.length === MAX_CAUSES || room <= 0) break;
    const error = { type, field: cutText(field), message: cutText(message, room) };
    room -= error.field.length + error.message.length;
    shown.push(error);
  }
  return shown;
}

/** Returns the 500 error for a failure of the server. */
export const internalError = (message: string, options: { retryAfterSeconds?: number } = {}): ApiError =>
  failure(500, 'InternalError', `Internal error occurred: ${message}`, {
    causes: [{ message }],
    ...(options.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: options.retryAfterSeconds }),
  });

/** Returns upstream's 500 response to an error without a reason, which contains only the message. */
export const unexplained = (message: string): ApiError => failure(500, undefined, message);

/** Returns the 503 error for a server that temporarily cannot handle requests. */
export const serviceUnavailable = (message: string): ApiError =>
  failure(503, 'ServiceUnavailable', message, { retryAfterSeconds: 1 });

/**
 * Returns the 504 error for a response that is not available in time, such as 'Too large resource version'.
 */
export const timeout = (
  message: string,
  retryAfterSeconds: number,
  causes?: readonly StatusCause[],
): ApiError =>
  failure(504, 'Timeout', `Timeout: ${message}`, {
    ...(causes === undefined ? {} : { causes }),
    retryAfterSeconds,
  });

/**
 * Returns the error for a temporarily unavailable dependency. Clients repeat the request automatically if
 * `retryAfterSeconds` is given, so give it only if the request has certainly had no effect.
 */
export const serverTimeout = (
  operation: string,
  { group, resource }: ResourceName,
  retryAfterSeconds?: number,
): ApiError =>
  failure(
    500,
    'ServerTimeout',
    `The ${operation} operation against ${qualified({ group, resource })} could not be completed at this time, please try again.`,
    {
      ...detailsOf({ group, resource }, ''),
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    },
  );

const is =
  (code: number, ...reasons: readonly StatusReason[]) =>
  (thrown: unknown): thrown is ApiError =>
    thrown instanceof ApiError &&
    (reasons.includes(thrown.reason) || (thrown.reason === 'Unknown' && thrown.code === code));

/** True for an error about a missing object or path. */
export const isNotFound = is(404, 'NotFound');
/** True for the error of creating an object that already exists. */
export const isAlreadyExists = is(409, 'AlreadyExists');
/** True for a conflict, except the error of creating an object that already exists. */
export const isConflict = is(409, 'Conflict');
/** True for an expired resource version or continue token. */
export const isGone = is(410, 'Gone', 'Expired');
/** True for an error of authorization or admission. */
export const isForbidden = is(403, 'Forbidden');
/** True for an error of validation. */
export const isInvalid = is(422, 'Invalid');
/** True if the server asks the client to send fewer requests. */
export const isTooManyRequests = is(429, 'TooManyRequests');
/** True for an error of authentication. */
export const isUnauthorized = is(401, 'Unauthorized');
