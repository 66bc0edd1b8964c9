import { serviceUnavailable } from '../../../api/status/index.ts';
import { HEALTH_PATHS } from '../../discovery/health.ts';
import type { Stage } from '../pipeline.ts';

/** Answers of these hold before there is a state to show. */
const ALWAYS: ReadonlySet<string> = new Set([...HEALTH_PATHS, 'metrics', 'version']);

/**
 * Answers 503 until the server has started: the caches fill meanwhile, and a client that was shown half of the objects
 * would take the rest for deleted.
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
