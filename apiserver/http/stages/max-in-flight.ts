import type { HttpResponse } from '../../../base/http/index.ts';
import { MASTERS } from '../../auth/groups.ts';
import type { RequestKind, Usage } from '../../flowcontrol/usage.ts';
import { type Stage, isLongRunning } from '../pipeline.ts';
import { type TooManyRequests, kindOfRequest } from './too-many-requests.ts';

/**
 * Creates the stage that limits concurrent reads and writes without priorities. A limit of 0 means no limit.
 * Long-running requests are not counted, and members of `system:masters` are never rejected.
 */
export function createMaxInFlight(options: {
  readonly limits: Readonly<Record<RequestKind, number>>;
  readonly usage: Usage;
  readonly tooMany: TooManyRequests;
}): Stage {
  const { limits, usage, tooMany } = options;
  const inFlight: Record<RequestKind, number> = { readOnly: 0, mutating: 0 };
  usage.setLimits(limits);
  return {
    name: 'max in flight',
    async run(context, next): Promise<HttpResponse> {
      if (isLongRunning(context)) return next(context);
      const kind = kindOfRequest(context);
      if (limits[kind] === 0) return next(context);
      if (inFlight[kind] >= limits[kind])
        return context.user.groups.includes(MASTERS) ? next(context) : tooMany(context);
      inFlight[kind]++;
      usage.executing(kind, 1);
      const release = (): void => {
        inFlight[kind]--;
        usage.executing(kind, -1);
      };
      try {
        return await next(context);
      } finally {
        const { http } = context;
        if (http.onClose === undefined) release();
        else http.onClose(release);
      }
    },
  };
}
