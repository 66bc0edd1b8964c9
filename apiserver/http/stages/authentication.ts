import { ApiError, unauthorized } from '../../../api/status/api-error.ts';
import type { Logger } from '../../../base/log/logger.ts';
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
}): Stage {
  const { authenticators, log } = options;
  return {
    name: 'authentication',
    async run(context, next) {
      let refused = false;
      for (const authenticator of authenticators) {
        if (refused && authenticator.name === 'anonymous') continue;
        try {
          const found = await authenticator.authenticate(context.http);
          if (found === undefined) continue;
          context.user = found.user;
          if (found.audiences !== undefined) context.audiences = found.audiences;
          return next(context);
        } catch (thrown) {
          if (!(thrown instanceof ApiError)) throw thrown;
          if (thrown.code !== 401) throw thrown;
          refused = true;
          log.debug({ id: context.id, authenticator: authenticator.name }, 'credential refused');
        }
      }
      throw unauthorized();
    },
  };
}
