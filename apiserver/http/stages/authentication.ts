import { unauthorized } from '../../../api/status/index.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { type Soon, orElse, whenThere } from '../../../base/async/index.ts';
import type { Clock } from '../../../base/clock/index.ts';
import { withHeaders } from '../../../base/http/index.ts';
import type { Logger } from '../../../base/log/index.ts';
import type { Count, Histogram, Metrics } from '../../../base/metrics/index.ts';
import { serviceAccountUsername } from '../../../base/tokens/index.ts';
import { isRejection, rejectionReason } from '../../auth/rejection.ts';
import { type IdentityHeaders, createCredentialRemoval } from '../../auth/request-header.ts';
import type { Authenticated, Authenticator, RequestContext } from '../../request.ts';
import type { Stage } from '../pipeline.ts';

/** State of the authentication of one request. */
interface Attempt {
  /** True once an authenticator has rejected a credential. */
  isRejected: boolean;
}

/**
 * Creates the stage that calls the authenticators in order. The first one that accepts a credential
 * determines the user. After an invalid credential, later authenticators are called except the last,
 * `anonymous`. The stage throws a 401 if none accepts. It removes the headers that identify the user for
 * later stages.
 */
export function createAuthentication(options: {
  readonly authenticators: readonly Authenticator[];
  /** Headers in which a proxy names the user, in addition to the usual ones. They are always removed. */
  readonly identityHeaders?: IdentityHeaders | undefined;
  readonly vocabulary: Vocabulary;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock;
}): Stage {
  const { authenticators, log } = options;
  const count = createCounts(options);
  const withoutCredentials = createCredentialRemoval(options.identityHeaders);

  function enter(context: RequestContext, { user, audiences, annotations }: Authenticated): void {
    context.user = user;
    if (audiences !== undefined) context.audiences = audiences;
    if (annotations !== undefined)
      for (const [key, value] of Object.entries(annotations)) context.audit.annotate(key, value);
    const headers = withoutCredentials(context.http.headers);
    if (headers !== context.http.headers) context.http = withHeaders(context.http, headers);
  }

  function ask(context: RequestContext, authenticator: Authenticator, attempt: Attempt) {
    return orElse<Authenticated | undefined>(
      () => authenticator.authenticate(context.http),
      (thrown) => {
        if (!isRejection(thrown)) throw thrown;
        attempt.isRejected = true;
        const { name } = authenticator;
        if (log.debugEnabled)
          log.debug(
            { id: context.id, authenticator: name, reason: rejectionReason(thrown) },
            'credential rejected',
          );
        return undefined;
      },
    );
  }

  /** Calls the authenticators beginning with index `from`. */
  function identify(
    context: RequestContext,
    attempt: Attempt,
    from: number,
  ): Soon<Authenticated | undefined> {
    for (let at = from; at < authenticators.length; at++) {
      const authenticator = authenticators[at] as Authenticator;
      if (attempt.isRejected && authenticator.name === 'anonymous') continue;
      const found = ask(context, authenticator, attempt);
      if (found instanceof Promise)
        return found.then((late) =>
          late ? recorded(context, authenticator, late) : identify(context, attempt, at + 1),
        );
      if (found !== undefined) return recorded(context, authenticator, found);
    }
    return undefined;
  }

  return {
    name: 'authentication',
    run(context, next) {
      const started = count.started();
      const attempt: Attempt = { isRejected: false };
      return whenThere(identify(context, attempt, 0), (found) => {
        if (found === undefined) {
          count.failed(attempt.isRejected ? 'error' : 'failure', started);
          throw unauthorized();
        }
        count.succeeded(found.user.username, started);
        enter(context, found);
        return next(context);
      });
    },
  };
}

/** Records on the context if the client itself sent the accepted credential, and returns `found`. */
function recorded(context: RequestContext, { explicit }: Authenticator, found: Authenticated): Authenticated {
  if (explicit === true) context.explicitCredential = true;
  return found;
}

/** Histogram buckets in seconds: 1 ms, doubled fourteen times, as in upstream. */
const SECONDS = Array.from({ length: 15 }, (_, at) => 0.001 * 2 ** at);

function createCounts({
  metrics,
  clock,
  vocabulary,
}: {
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly vocabulary: Vocabulary;
}) {
  const attempts = metrics.counter('authentication_attempts', 'Counter of authenticated attempts.', [
    'result',
  ]);
  const seconds = metrics.histogram(
    'authentication_duration_seconds',
    'Authentication duration in seconds broken out by result.',
    ['result'],
    SECONDS,
  );
  const users = metrics.counter(
    'authenticated_user_requests',
    'Counter of authenticated requests broken out by username.',
    ['username'],
  );
  const results = new Map<string, { readonly attempts: Count; readonly seconds: Histogram }>();
  for (const result of ['success', 'failure', 'error'])
    results.set(result, { attempts: attempts.at(result), seconds: seconds.at(result) });
  const ended = (result: string, started: number): void => {
    const counted = results.get(result);
    counted?.attempts.add(1);
    counted?.seconds.observe((clock.monotonic() - started) / 1000);
  };
  const nameOf = createUserGrouping(vocabulary);
  const counts = new Map<string, Count>();
  const countOf = (username: string): Count => {
    const name = nameOf(username);
    let known = counts.get(name);
    if (known === undefined) counts.set(name, (known = users.at(name)));
    return known;
  };
  return {
    started: () => clock.monotonic(),
    succeeded(username: string, started: number): void {
      ended('success', started);
      countOf(username).add(1);
    },
    failed: ended,
  };
}

/**
 * Creates the function that returns the `username` label of a user. All names except a few well-known ones
 * share a label, as the number of users is unbounded.
 */
function createUserGrouping({ short, agent, namespaces }: Vocabulary): (username: string) => string {
  const known = new Set([
    'admin',
    'client',
    `${short}_proxy`,
    agent,
    serviceAccountUsername(namespaces.system, 'default'),
  ]);
  return (username) => {
    if (known.has(username)) return username;
    return username.includes('@') ? 'email_id' : 'other';
  };
}
