import { createActor, fromPromise } from 'xstate';
import type { Environment } from '../../base/environment.ts';
import { CodedError } from '../../base/errors/index.ts';
import { leaderElectionMachine } from '../../machines/leaderelection/index.ts';
import { toXStateClock } from '../actors/xstate-clock.ts';
import type { Client } from '../client/client.ts';
import type { EventRecorder } from '../events/recorder.ts';
import { LeaseFence } from './lease-fence.ts';
import { type LeaseHolder, type LeaseTry, createLeaseLock } from './lease-lock.ts';

/**
 * Timing of leader election; see
 * https://pkg.go.dev/k8s.io/client-go/tools/leaderelection#LeaderElectionConfig.
 */
export interface LeaseTiming {
  /** Time after which others take over a lease without renewals, in milliseconds. Default 15,000. */
  readonly leaseDurationMs?: number;
  /**
   * Time after which a leader without successful renewal stops, in milliseconds; less than the lease
   * duration. Default 10,000.
   */
  readonly renewDeadlineMs?: number;
  /** Pause between attempts, in milliseconds; less than the renew deadline. Default 2,000. */
  readonly retryPeriodMs?: number;
}

/** Options of `createLeaderElector`. */
export interface LeaderElectorOptions extends Environment, LeaseTiming {
  readonly client: Client;
  readonly events: EventRecorder;
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  /** Called at the start of a term; writes of the term check `fence`. */
  readonly onLead: (fence: LeaseFence) => void;
  /** Called at the end of a term. */
  readonly onFollow: () => void;
}

/** A candidate for a lease. */
export interface LeaderElector {
  /** Resolves after the first attempt, with any result. */
  start(): Promise<void>;
  /** True during a term of this process. */
  readonly leading: boolean;
  /** Holder of the lease at the last read. */
  readonly holder: LeaseHolder | undefined;
  /** Releases a held lease. The work of the term must have stopped. */
  stop(): Promise<void>;
}

/**
 * Returns the timing with defaults. Throws `ERR_LEASE_TIMING` unless lease duration > renew deadline > retry
 * period > 0.
 */
export function checkLeaseTiming(timing: LeaseTiming): Required<LeaseTiming> {
  const { leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2_000 } = timing;
  if (leaseDurationMs > renewDeadlineMs && renewDeadlineMs > retryPeriodMs && retryPeriodMs > 0)
    return { leaseDurationMs, renewDeadlineMs, retryPeriodMs };
  throw new CodedError(
    'ERR_LEASE_TIMING',
    `lease duration ${leaseDurationMs} ms, renew deadline ${renewDeadlineMs} ms and retry period ${retryPeriodMs} ms are inconsistent: each must be longer than the next`,
  );
}

/** Creates a candidate for one lease. */
export function createLeaderElector(options: LeaderElectorOptions): LeaderElector {
  const { clock, log, events, identity, name, onLead, onFollow } = options;
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = checkLeaseTiming(options);
  const lock = createLeaseLock({ ...options, leaseDurationMs });
  let fence = new LeaseFence(clock);

  const tryAndExtend = async (signal: AbortSignal): Promise<LeaseTry> => {
    const current = fence;
    const answer = await lock.try(signal);
    if (answer.term !== undefined) current.extend(answer.term, renewDeadlineMs, answer.tookMs);
    return answer;
  };
  const machine = leaderElectionMachine.provide({
    actors: {
      acquire: fromPromise(async ({ signal }) => {
        fence = new LeaseFence(clock);
        const answer = await tryAndExtend(signal);
        if (answer.held && answer.lease !== undefined)
          events.record(answer.lease, 'Normal', 'LeaderElection', `${identity} became leader`);
        return answer;
      }),
      renew: fromPromise(({ signal }) => tryAndExtend(signal)),
      release: fromPromise(({ signal }) => lock.release(signal)),
    },
  });
  const actor = createActor(machine, {
    clock: toXStateClock(clock),
    input: { renewDeadlineMs, retryPeriodMs },
  });
  let leading = false;
  let decided: () => void = () => {};
  const firstDecision = new Promise<void>((resolve) => (decided = resolve));
  actor.subscribe((snapshot) => {
    if (!snapshot.hasTag('undecided')) decided();
    if (snapshot.hasTag('leading') === leading) return;
    leading = !leading;
    log.info(
      { lease: name, identity, err: snapshot.context.lastError },
      leading ? 'became leader' : 'lost leadership',
    );
    if (leading) return onLead(fence);
    fence.end();
    onFollow();
  });
  const ended = new Promise<void>((resolve) =>
    actor.subscribe({ complete: resolve, error: () => resolve() }),
  );
  let started = false;
  return {
    async start() {
      started = true;
      actor.start();
      await firstDecision;
    },
    get leading() {
      return leading;
    },
    get holder() {
      return lock.holder();
    },
    async stop() {
      if (!started) return;
      actor.send({ type: 'stop' });
      await ended;
      decided();
    },
  };
}
