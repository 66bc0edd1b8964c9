import { type ApiError, timeout } from '../../../api/status/api-error.ts';
import type { Clock, Timer } from '../../../base/clock/clock.ts';
import { IntrusiveList, type Linked } from '../../../base/collections/intrusive-list.ts';
import type { HttpResponse } from '../../../base/http/message.ts';
import { type Stage, isLongRunning } from '../pipeline.ts';

interface Waiting extends Linked<Waiting> {
  readonly dueMs: number;
  readonly expire: (error: ApiError) => void;
}

/**
 * Answers 504 for a request that is not done `limitMs` after it came, and aborts its signal, so that the work ends too and
 * nothing is written late; watches and their like have no deadline.
 * All requests have the same limit, so they fall due in the order they came and one timer serves them all.
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
      each.expire(timeout('request did not complete within the allotted timeout', 0));
    }
  };

  return {
    name: 'deadline',
    run(context, next) {
      if (isLongRunning(context)) return next(context);
      const answer = next(context);
      if (!(answer instanceof Promise)) return answer;
      const dueMs = clock.monotonic() + limitMs;
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
        waiting.add(entry);
        timer ??= clock.setTimeout(sweep, limitMs);
        answer.then(
          (response) => {
            waiting.delete(entry);
            resolve(response);
          },
          (thrown: unknown) => {
            waiting.delete(entry);
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
