import { internalError } from '../../../api/status/index.ts';
import type { HttpPeer, HttpRequest, HttpResponse } from '../../../base/http/index.ts';
import type { Auditor } from '../../audit/auditor.ts';
import { type RequestTrail, statusOf } from '../../audit/request-trail.ts';
import type { RequestContext } from '../../request.ts';
import { type Next, type Stage, isLongRunning } from '../pipeline.ts';
import { clientErrorOf } from './guard.ts';

/**
 * Creates the stage that records one audit event for each request that fails authentication. It precedes
 * authentication, as the stage that records all other requests follows it.
 */
export const createFailedAuthenticationAudit = (auditor: Auditor): Stage => ({
  name: 'failed authentication audit',
  async run(context, next) {
    const { http } = context;
    try {
      return await next(context);
    } catch (thrown) {
      const trail = auditor.unbegun(context) && auditor.begin(context);
      if (trail !== undefined) {
        const { code = 500, status } = clientErrorOf(thrown) ?? {};
        trail.failed({ ...statusOf(status ?? {}), message: attemptedBy(http), code });
        await auditor.send(trail, context, 'ResponseStarted');
      }
      throw thrown;
    }
  },
});

/** Returns the authentication methods that a request used, never its credentials. */
function attemptedBy({ headers, peer }: Pick<HttpRequest, 'headers'> & { readonly peer: HttpPeer }): string {
  const scheme = (headers['authorization']?.[0] ?? '').trim().split(' ', 1)[0]?.toLowerCase() ?? '';
  const methods = [
    ...(scheme === 'basic' || scheme === 'bearer' ? [scheme] : []),
    ...(peer.certificate === undefined ? [] : ['x509']),
  ];
  return methods.length === 0
    ? 'Authentication failed, no credentials provided'
    : `Authentication failed, attempted: ${methods.join(', ')}`;
}

/**
 * Creates the stage that records requests as the audit policy requires, from authentication until the
 * response is complete. It precedes impersonation, so that the authenticated user is recorded.
 */
export const createAudit = (auditor: Auditor): Stage => ({
  name: 'audit',
  run(context, next) {
    const trail = auditor.begin(context);
    return trail === undefined ? next(context) : record(auditor, trail, context, next);
  },
});

async function record(
  auditor: Auditor,
  trail: RequestTrail,
  context: RequestContext,
  next: Next,
): Promise<HttpResponse> {
  if (!(await auditor.send(trail, context, 'RequestReceived'))) {
    auditor.rejected.add(1);
    throw internalError('failed to store audit event');
  }
  let response: HttpResponse;
  try {
    response = await next(context);
  } catch (thrown) {
    await recordThrown(auditor, trail, context, thrown);
    throw thrown;
  }
  trail.answered(response.status);
  if (isLongRunning(context)) await auditor.send(trail, context, 'ResponseStarted');
  const complete = (): boolean | Promise<boolean> => auditor.send(trail, context, 'ResponseComplete');
  if (isStreamed(context, response)) return whenClosed(response, () => void complete());
  await complete();
  return response;
}

async function recordThrown(
  auditor: Auditor,
  trail: RequestTrail,
  context: RequestContext,
  thrown: unknown,
): Promise<void> {
  const clientError = clientErrorOf(thrown);
  if (clientError !== undefined) {
    trail.response(clientError.status);
    trail.answered(clientError.code);
  } else if (context.http.signal.aborted) {
    trail.failed({ metadata: {}, status: 'Success', message: 'Connection closed early', code: 200 });
  } else {
    // The message of a defect may contain secrets, so only its name is recorded. The log has the message.
    const name = thrown instanceof Error ? thrown.name : 'unknown';
    const message = `APIServer panic'd: ${name}`;
    trail.failed({ metadata: {}, status: 'Failure', message, reason: 'InternalError', code: 500 });
    await auditor.send(trail, context, 'Panic');
    return;
  }
  if (isLongRunning(context)) await auditor.send(trail, context, 'ResponseStarted');
  await auditor.send(trail, context, 'ResponseComplete');
}

/** True if the body is a function that the listener will call, so that its end can be observed. */
const isStreamed = ({ http }: RequestContext, { status, body }: HttpResponse): boolean =>
  typeof body === 'function' &&
  http.method !== 'HEAD' &&
  status !== 204 &&
  status !== 304 &&
  !http.signal.aborted;

function whenClosed(response: HttpResponse, run: () => void): HttpResponse {
  const { body } = response;
  if (typeof body !== 'function') return response;
  return {
    ...response,
    body: (sink) => {
      sink.onClose(run);
      body(sink);
    },
  };
}
