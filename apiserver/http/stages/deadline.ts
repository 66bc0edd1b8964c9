import { type ApiError, badRequest, timeout } from '../../../api/status/index.ts';
import type { Clock, Timer } from '../../../base/clock/index.ts';
import { IntrusiveList, type Linked } from '../../../base/collections/index.ts';
import { parseGoDuration } from '../../../base/cron/index.ts';
import { messageOf } from '../../../base/errors/index.ts';
import type { HttpResponse } from '../../../base/http/index.ts';
import { type Stage, isLongRunning } from '../pipeline.ts';

interface Waiting extends Linked<Waiting> {
  readonly dueMs: number;
  readonly expire: (error: ApiError) => void;
}

const late = (): ApiError => timeout('request did not complete within the allotted timeout', 0);

/**
 * Creates the stage that rejects with 504 if a request takes longer than `limitMs`, or than its `timeout`
 * parameter if that is shorter. The request's signal is aborted, so that its work ends and nothing is written
 * late. Long-running requests have no deadline. Requests without a `timeout` expire in the order of their
 * arrival, so one timer serves all of them.
 */
export function createDeadline(options: { clock: Clock; limitMs: number }): Stage & { close(): void } {
  const { clock, limitMs } = options;
  const waiting = new IntrusiveList<Waiting>();
  let timer: Timer | undefined;

  const sweep = (): void => {
    timer = undefined;
    const now = clock.monotonic();
    for (const each of waiting) {
      if (each.dueMs > now) {
        timer = clock.setTimeout(sweep, each.dueMs - now);
        return;
      }
      waiting.delete(each);
      each.expire(late());
    }
  };

  return {
    name: 'deadline',
    run(context, next) {
      if (isLongRunning(context)) return next(context);
      const ownMs = wantedMs(context.info.query);
      const isOwn = ownMs > 0 && ownMs < limitMs;
      const dueMs = clock.monotonic() + (isOwn ? ownMs : limitMs);
      context.dueMs = dueMs;
      const pending = next(context);
      if (!(pending instanceof Promise)) return pending;
      return new Promise<HttpResponse>((resolve, reject) => {
        const entry: Waiting = {
          previous: undefined,
          next: undefined,
          dueMs,
          expire: (error) => {
            reject(error);
            context.http.abort?.(error);
          },
        };
        let own: Timer | undefined;
        if (isOwn) own = clock.setTimeout(() => entry.expire(late()), ownMs);
        else {
          waiting.add(entry);
          timer ??= clock.setTimeout(sweep, limitMs);
        }
        const forget = (): void => {
          if (isOwn) clock.clearTimeout(own);
          else waiting.delete(entry);
        };
        pending.then(
          (response) => {
            forget();
            resolve(response);
          },
          (thrown: unknown) => {
            forget();
            reject(thrown);
          },
        );
      });
    },
    close() {
      clock.clearTimeout(timer);
      timer = undefined;
    },
  };
}

/**
 * Returns the `timeout` parameter in milliseconds, or 0 if there is none. Throws a 400 if it is malformed.
 */
function wantedMs(query: URLSearchParams): number {
  const given = query.size === 0 ? null : query.get('timeout');
  if (given === null || given === '') return 0;
  try {
    return parseGoDuration(given);
  } catch (thrown) {
    throw badRequest(`invalid timeout specified in the request URL - ${messageOf(thrown)}`);
  }
}
