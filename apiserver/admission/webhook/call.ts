import { charged } from '../../../base/budget/index.ts';
import { chargeTree } from '../../../api/schema/index.ts';
import { ApiError, type StatusReason, badRequest } from '../../../api/status/index.ts';
import type { AdmissionResponse } from '../../../api/types/admission-v1.ts';
import { isQualifiedName } from '../../../api/validation/index.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import type { Clock } from '../../../base/clock/index.ts';
import { messageOf } from '../../../base/errors/index.ts';
import type { Random } from '../../../base/random/index.ts';
import type { RemoteCredentials } from '../../outbound/remote-review.ts';
import { type WebhookCaller, WebhookError } from '../../outbound/webhook-caller.ts';
import type { ValidatedRequest } from '../../request.ts';
import type { Invocation } from './invocation.ts';
import { type Shown, UnreadableReview, createReview, readReview, reviewVersionOf } from './review.ts';

/** Error for a call without a usable response. The failure policy of the webhook applies. */
export class CallFailure extends Error {
  /** HTTP status for the metrics. */
  readonly code: number;

  constructor(hook: string, reason: string, code: number, options?: ErrorOptions) {
    super(`failed calling webhook ${JSON.stringify(hook)}: ${reason}`, options);
    this.code = code;
  }
}

/** Error for a request that the webhook denied. */
export class Rejection extends Error {
  readonly error: ApiError;

  constructor(error: ApiError) {
    super(error.message);
    this.error = error;
  }
}

/** Environment and transport of webhook calls. */
export interface CallOptions {
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
  readonly random: Random;
  /** Webhook client; undefined if outbound requests are disabled, so that every call fails. */
  readonly caller: WebhookCaller | undefined;
  readonly credentialsFor: (target: string) => RemoteCredentials | undefined;
}

/**
 * Function that calls one webhook. Resolves to a response that allows the request. Throws `Rejection` or
 * `CallFailure`. Throws another error if the webhook does not support dry runs or the request was aborted.
 */
export type CallWebhook = (
  invocation: Invocation,
  request: ValidatedRequest,
  shown: Shown,
  signal: AbortSignal,
) => Promise<AdmissionResponse>;

/** Creates the function that calls validating or mutating webhooks. */
export function createCall(options: CallOptions & { readonly isMutating: boolean }): CallWebhook {
  const { vocabulary, clock, random, caller, credentialsFor, isMutating } = options;
  return async (invocation, request, shown, signal) => {
    const { hook } = invocation;
    if (request.dryRun && !hook.allowsDryRun)
      throw badRequest(`admission webhook ${JSON.stringify(hook.name)} does not support dry run`);
    const version = reviewVersionOf(hook.reviewVersions);
    if (version === undefined)
      throw new CallFailure(
        hook.name,
        'could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)',
        400,
      );
    if (caller === undefined)
      throw new CallFailure(hook.name, 'could not get REST client: no requests are made', 400);
    const uid = random.uuid();
    const { budget } = request;
    charged(budget, () => {
      chargeTree(shown.object);
      chargeTree(shown.previous);
    });
    if (budget?.isDue) await budget.pause();
    const response = await caller
      .call({
        clientConfig: hook.clientConfig,
        body: createReview(invocation, request, shown, uid, version, vocabulary),
        timeoutMs: Math.min(hook.timeoutMs, (request.dueMs ?? Infinity) - clock.monotonic()),
        announcesTimeout: true,
        credentialsFor,
        signal,
      })
      .catch((thrown: unknown) => {
        if (!(thrown instanceof WebhookError)) throw thrown;
        const reason = `failed to call webhook: ${thrown.message}`;
        throw new CallFailure(hook.name, reason, thrown.status ?? 400, { cause: thrown });
      });
    if (budget?.isDue) await budget.pause();
    const verdict = charged(budget, () => {
      chargeTree(response);
      return understood(hook.name, () => readReview(response, { uid, version, isMutating }, vocabulary));
    });
    report(hook.name, verdict, request);
    if (!verdict.allowed) throw new Rejection(denialOf(hook.name, verdict.status));
    return verdict;
  };
}

function understood(hook: string, read: () => AdmissionResponse): AdmissionResponse {
  try {
    return read();
  } catch (thrown) {
    const why = messageOf(thrown);
    throw thrown instanceof UnreadableReview
      ? new CallFailure(hook, `failed to call webhook: ${why}`, 400, { cause: thrown })
      : new CallFailure(hook, `received invalid webhook response: ${why}`, 503, { cause: thrown });
  }
}

/**
 * Adds audit annotations and warnings from the response to the request. Skips keys that are not qualified
 * names.
 */
function report(
  hook: string,
  { auditAnnotations = {}, warnings = [] }: AdmissionResponse,
  request: ValidatedRequest,
): void {
  for (const [key, value] of Object.entries(auditAnnotations))
    if (isQualifiedName(`${hook}/${key}`).length === 0) request.annotate(`${hook}/${key}`, value);
  for (const text of warnings) request.warn(text);
}

/** Maximum valid HTTP status code. */
const MAX_STATUS = 999;

/**
 * Creates the error response from the status of a webhook that denied the request. The response always has an
 * error code and the name of the webhook.
 */
function denialOf(hook: string, given: Partial<NonNullable<AdmissionResponse['status']>> = {}): ApiError {
  const { code = 0, message = '', reason = '', details } = given;
  const deniedBy = `admission webhook ${JSON.stringify(hook)} denied the request`;
  const why = message || reason;
  return new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: why === '' ? `${deniedBy} without explanation` : `${deniedBy}: ${why}`,
    ...(reason !== '' && { reason: reason as StatusReason }),
    ...(details && { details }),
    code: code >= 400 && code <= MAX_STATUS ? code : 400,
  });
}
