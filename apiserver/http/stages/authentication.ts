import { ApiError, unauthorized } from '../../../api/status/api-error.ts';
import type { Clock } from '../../../base/clock/clock.ts';
import type { Logger } from '../../../base/log/logger.ts';
import type { Count, Histogram, Metrics } from '../../../base/metrics/metrics.ts';
import type { Authenticator } from '../../request.ts';
import type { Stage } from '../pipeline.ts';

/**
 * Asks the authenticators in order; the first that knows the credential names the user. A bad credential does not stop
 * the later ones, but keeps the request from becoming anonymous: the last authenticator, `anonymous`, is not asked then.
 * Nobody found: 401 (specification 1, section 5).
 */
export function createAuthentication(options: {
  readonly authenticators: readonly Authenticator[];
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock;
}): Stage {
  const { authenticators, log } = options;
  const count = createCounts(options.metrics, options.clock);
  return {
    name: 'authentication',
    async run(context, next) {
      let refused = false;
      const started = count.started();
      for (const authenticator of authenticators) {
        if (refused && authenticator.name === 'anonymous') continue;
        try {
          const found = await authenticator.authenticate(context.http);
          if (found === undefined) continue;
          context.user = found.user;
          count.succeeded(found.user.username, started);
          if (found.audiences !== undefined) context.audiences = found.audiences;
          return next(context);
        } catch (thrown) {
          if (!(thrown instanceof ApiError)) throw thrown;
          if (thrown.code !== 401) throw thrown;
          refused = true;
          log.debug({ id: context.id, authenticator: authenticator.name }, 'credential refused');
        }
      }
      count.failed(refused ? 'error' : 'failure', started);
      throw unauthorized();
    },
  };
}

/** From a millisecond on, doubled fourteen times, as upstream. */
const SECONDS = Array.from({ length: 15 }, (_, at) => 0.001 * 2 ** at);

function createCounts(metrics: Metrics, clock: Clock) {
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
  const grouped = new Map([...GROUPED, 'other'].map((name) => [name, users.at(name)]));
  return {
    started: () => clock.monotonic(),
    succeeded(username: string, started: number): void {
      ended('success', started);
      grouped.get(GROUPED.has(username) ? username : 'other')?.add(1);
    },
    failed: ended,
  };
}

/** Users are counted together but for those that everybody knows: there may be very many of them. */
const GROUPED: ReadonlySet<string> = new Set(['system:anonymous', 'system:admin', 'system:apiserver']);
