import { BRAND, hasBrand } from '../../base/errors/index.ts';
import type { FieldError, FieldErrors } from './field-errors.ts';
import { goQuote } from './go-quote.ts';
import { cutText } from './short-text.ts';

export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: readonly StatusCause[];
  retryAfterSeconds?: number;
}

/** The body of every refusal, and of some successes (`meta/v1`). */
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

/** A resource as messages name it: `group` is the served one, '' for the core group. */
export interface ResourceName {
  readonly group: string;
  readonly resource: string;
}

/** A refusal that is a `Status`, on the server that makes it and on the client that receives it alike. */
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

  /** Seconds the answerer asks to wait before the next try. */
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

/** `pods`, or `jobs.batch` with its group. */
export const qualified = ({ group, resource }: ResourceName): string =>
  group === '' ? resource : `${resource}.${group}`;

const detailsOf = ({ group, resource }: ResourceName, name: string): StatusDetails => ({
  ...(name === '' ? {} : { name }),
  ...(group === '' ? {} : { group }),
  ...(resource === '' ? {} : { kind: resource }),
});

export const badRequest = (message: string): ApiError => failure(400, 'BadRequest', message);

export const unauthorized = (message = 'Unauthorized'): ApiError => failure(401, 'Unauthorized', message);

/** Refused by authorization or admission. `message` says who may not do what. */
export const forbidden = (resource: ResourceName, name: string, message: string): ApiError =>
  failure(
    403,
    'Forbidden',
    name === '' && resource.resource === ''
      ? `forbidden: ${message}`
      : `${qualified(resource)}${name === '' ? '' : ` ${goQuote(name)}`} is forbidden: ${message}`,
    detailsOf(resource, name),
  );

export const notFound = (resource: ResourceName, name: string): ApiError =>
  failure(404, 'NotFound', `${qualified(resource)} ${goQuote(name)} not found`, detailsOf(resource, name));

/** A path below which nothing is served. */
export const unknownPath = (): ApiError =>
  failure(404, 'NotFound', 'the server could not find the requested resource', {});

export const methodNotAllowed = (
  message = 'the server does not allow this method on the requested resource',
): ApiError => failure(405, 'MethodNotAllowed', message, {});

/** The same of custom resources, whose server names the verb; '' for a method that stands for none. */
export const methodNotSupported = (resource: ResourceName, verb: string): ApiError =>
  failure(
    405,
    'MethodNotAllowed',
    `${verb} is not supported on resources of kind ${goQuote(qualified(resource))}`,
    detailsOf(resource, ''),
  );

export const notAcceptable = (message: string): ApiError => failure(406, 'NotAcceptable', message);

export const alreadyExists = (resource: ResourceName, name: string): ApiError =>
  failure(
    409,
    'AlreadyExists',
    `${qualified(resource)} ${goQuote(name)} already exists`,
    detailsOf(resource, name),
  );

export const conflict = (resource: ResourceName, name: string, message: string): ApiError =>
  failure(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(resource)} ${goQuote(name)}: ${message}`,
    detailsOf(resource, name),
  );

/** The text clients know from a stale resource version. */
export const MODIFIED =
  'the object has been modified; please apply your changes to the latest version and try again';

export const gone = (message: string): ApiError => failure(410, 'Gone', message);

/** The requested version has left the history; `continueToken` goes on from the present instead. */
export function expired(message: string, continueToken?: string): ApiError {
  const error = failure(410, 'Expired', message);
  if (continueToken !== undefined) error.status.metadata.continue = continueToken;
  return error;
}

export const tooLarge = (message: string): ApiError => failure(413, 'RequestEntityTooLarge', message);

export const unsupportedMediaType = (message: string): ApiError =>
  failure(415, 'UnsupportedMediaType', message);

/** What upstream's router says, before any handler has seen the request: the body comes as nothing that is taken. */
export const unroutedBody = (): ApiError =>
  failure(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});

/** The same of an answer in no form that is asked for, or of a request without a body that has to have one. */
export const unroutedAnswer = (): ApiError => failure(406, 'NotAcceptable', '406: Not Acceptable', {});

/** Most causes of one Status, and characters of them. The message repeats them: 64 KB of text together. */
const MAX_CAUSES = 100;
const MAX_TEXT = 32 * 1024;

/**
 * Refuses an object with 422: `CronJob.batch "x" is invalid: spec.schedule: …`. `kind` has its served group. Only the
 * first errors are shown where there are more than fit; the message says how many are left out.
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

/** The errors that fit into one Status: the first always, cut off where it is too long. */
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

export const internalError = (message: string, options: { retryAfterSeconds?: number } = {}): ApiError =>
  failure(500, 'InternalError', `Internal error occurred: ${message}`, {
    causes: [{ message }],
    ...(options.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: options.retryAfterSeconds }),
  });

/** What upstream answers with an error that it has no reason for: the words alone. */
export const unexplained = (message: string): ApiError => failure(500, undefined, message);

export const serviceUnavailable = (message: string): ApiError =>
  failure(503, 'ServiceUnavailable', message, { retryAfterSeconds: 1 });

/** The server cannot answer in time: 'Too large resource version' and its like. */
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
 * What an operation needs is away for the moment. `retryAfterSeconds` has clients ask again by themselves: only where
 * nothing can have been carried out.
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

export const isNotFound = is(404, 'NotFound');
export const isAlreadyExists = is(409, 'AlreadyExists');
export const isConflict = is(409, 'Conflict');
export const isGone = is(410, 'Gone', 'Expired');
export const isForbidden = is(403, 'Forbidden');
export const isInvalid = is(422, 'Invalid');
export const isTooManyRequests = is(429, 'TooManyRequests');
export const isUnauthorized = is(401, 'Unauthorized');
