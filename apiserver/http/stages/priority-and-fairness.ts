import { type Soon, toTheEnd, whenThere } from '../../../base/async/index.ts';
import type { HttpResponse } from '../../../base/http/index.ts';
import type { FlowControl } from '../../flowcontrol/flow-control.ts';
import type { CountedFlow, Route } from '../../flowcontrol/priority-level.ts';
import { LimitedRequest, type QueueOutcome } from '../../flowcontrol/queue.ts';
import type { QueueSet } from '../../flowcontrol/queue-set.ts';
import type { RequestKind, Usage } from '../../flowcontrol/usage.ts';
import type { RequestContext } from '../../request.ts';
import { type Next, type Stage, isLongRunning } from '../pipeline.ts';
import { type TooManyRequests, kindOfRequest } from './too-many-requests.ts';

/**
 * Creates the stage that passes a request on when its priority level has free seats and its flow is next.
 * Until then the request waits; it is rejected with 429 if it would wait too long. A watch holds its seat
 * until it has sent the initial objects; other long-running requests hold none. Response headers name the
 * FlowSchema and PriorityLevelConfiguration by uid.
 */
export function createPriorityAndFairness(options: {
  readonly control: FlowControl;
  readonly usage: Usage;
  readonly tooMany: TooManyRequests;
}): Stage {
  const { control, usage, tooMany } = options;
  return {
    name: 'priority and fairness',
    run(context, next) {
      const isWatch = context.info.isResourceRequest && context.info.verb === 'watch';
      if (!isWatch && isLongRunning(context)) return next(context);
      const route = control.route(context.user, context.info);
      context.responseHeaders = route.headers;
      const kind = kindOfRequest(context);
      const { queueSet } = route.level;
      const taken =
        queueSet === undefined
          ? exemptSeat(route, isWatch, control, kind, usage)
          : takeSeat(queueSet, route, context, kind);
      return whenThere(taken, (seat) => {
        if (seat === undefined) return tooMany(context);
        return isWatch ? watch(context, next, seat) : serve(context, next, seat);
      });
    },
  };

  /**
   * Returns a seat, or undefined for a rejected request. The promise resolves when the request leaves its
   * queue.
   */
  function takeSeat(
    queueSet: QueueSet<CountedFlow>,
    route: Route,
    context: RequestContext,
    kind: RequestKind,
  ): Soon<Seat | undefined> {
    const request = new LimitedRequest(
      route.flowOf(context.user, context.info),
      control.estimate(context, route),
      context,
    );
    const seat = (): Seat => limitedSeat(queueSet, request, kind, usage);
    const verdict = queueSet.arrive(request);
    if (verdict === 'execute') return seat();
    if (verdict === 'reject') return undefined;
    usage.waiting(kind, 1);
    return turnOf(queueSet, request, context.http.signal).then((given) => {
      usage.waiting(kind, -1);
      return given === 'execute' ? seat() : undefined;
    });
  }

  /**
   * Runs a watch and registers it while it is open: the cost of a write depends on the number of watches that
   * receive it.
   */
  async function watch(context: RequestContext, next: Next, seat: Seat): Promise<HttpResponse> {
    context.onWatchStarted = () => seat.free();
    const response = await toTheEnd(
      () => next(context),
      (failed) => failed && seat.free(),
    );
    const { body } = response;
    // Streams of aggregated servers cost this server nothing.
    if (typeof body !== 'function' || context.kind === undefined) seat.free();
    if (typeof body !== 'function') return response;
    seat.answered();
    context.http.onClose?.(() => seat.free());
    return {
      ...response,
      body: (sink) => {
        const forget = control.watches.register(context.info);
        sink.onClose(() => {
          seat.free();
          forget();
        });
        body(sink);
      },
    };
  }
}

/** Seats that a request holds while it runs. */
interface Seat {
  /** Reports that the handler is done. The response may still be in transit. */
  answered(): void;
  /** Releases the seats. A second call has no effect. */
  free(): void;
}

/** Runs a request. The seats are released even if the request fails. */
const serve = (context: RequestContext, next: Next, seat: Seat): Soon<HttpResponse> =>
  toTheEnd(
    () => next(context),
    () => release(context, seat),
  );

/** Releases the seats when the response is sent, or at once if the transport does not report that. */
function release({ http }: RequestContext, seat: Seat): void {
  if (http.onClose === undefined) return seat.free();
  seat.answered();
  http.onClose(() => seat.free());
}

function limitedSeat(
  queueSet: QueueSet<CountedFlow>,
  request: LimitedRequest<CountedFlow>,
  kind: RequestKind,
  usage: Usage,
): Seat {
  usage.executing(kind, 1);
  let held = true;
  return {
    answered: () => queueSet.answered(request),
    free() {
      if (!held) return;
      held = false;
      usage.executing(kind, -1);
      queueSet.finish(request);
    },
  };
}

/** Returns the seat of an exempt level, which is counted but not limited. */
function exemptSeat(
  { counts }: Route,
  isWatch: boolean,
  { clock }: FlowControl,
  kind: RequestKind,
  usage: Usage,
): Seat {
  const started = clock.monotonic();
  counts.dispatched.add(1);
  usage.executing(kind, 1, started);
  let held = true;
  return {
    answered() {},
    free() {
      if (!held) return;
      held = false;
      const ended = clock.monotonic();
      usage.executing(kind, -1, ended);
      counts.served[isWatch ? 'watch' : 'regular'].observe((ended - started) / 1000);
    },
  };
}

/**
 * Waits for a seat. A request whose client disconnects or whose deadline passes is removed from its queue.
 */
function turnOf(
  queueSet: QueueSet<CountedFlow>,
  request: LimitedRequest<CountedFlow>,
  signal: AbortSignal,
): Promise<QueueOutcome> {
  return new Promise((resolve) => {
    const onGone = (): void => {
      if (queueSet.leave(request)) resolve('reject');
    };
    request.onOutcome = (verdict) => {
      signal.removeEventListener('abort', onGone);
      resolve(verdict);
    };
    if (signal.aborted) onGone();
    else signal.addEventListener('abort', onGone, { once: true });
  });
}
