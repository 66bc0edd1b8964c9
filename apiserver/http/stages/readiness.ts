import { serviceUnavailable } from '../../../api/status/index.ts';
import { HEALTH_PATHS } from '../../discovery/health.ts';
import type { Stage } from '../pipeline.ts';

/** First path segments whose responses do not depend on the stored state. */
const ALWAYS: ReadonlySet<string> = new Set([...HEALTH_PATHS, 'metrics', 'version']);

/**
 * Creates the stage that rejects requests with 503 until the server has started. Before that the caches are
 * incomplete, and a client would treat missing objects as deleted.
 */
export function createReadiness(isReady: () => boolean): Stage {
  return {
    name: 'readiness',
    run(context, next) {
      if (isReady() || ALWAYS.has(context.info.path.split('/')[1] ?? '')) return next(context);
      throw serviceUnavailable('the server is starting and has not read its state yet');
    },
  };
}
