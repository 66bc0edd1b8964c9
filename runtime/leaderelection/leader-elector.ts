import { createActor, fromPromise } from 'xstate';
import type { Environment } from '../../base/environment.ts';
import { CodedError } from '../../base/errors/index.ts';
import { leaderElectionMachine } from '../../machines/leaderelection/index.ts';
import { toXStateClock } from '../actors/xstate-clock.ts';
import type { Client } from '../client/client.ts';
import type { EventRecorder } from '../events/recorder.ts';
import type { AdvertisedAddress } from './advertised-address.ts';
import { LeaseFence } from './lease-fence.ts';
import { type LeaseHolder, type LeaseTry, createLeaseLock } from './lease-lock.ts';

/**
 * Timing of leader election; see
 * https://pkg.go.dev/k8s.io/client-go/tools/leaderelection#LeaderElectionConfig.
 */
export interface LeaseTiming {
  /**
   * Time in milliseconds after which another candidate takes over a lease that is not renewed. Default
   * 15,000.
   */
  readonly leaseDurationMs?: number;
  /**
   * Time in milliseconds after which a leader without a successful renewal stops; less than the lease
   * duration. Default 10,000.
   */
  readonly renewDeadlineMs?: number;
  /** Pause between attempts in milliseconds; less than the renew deadline. Default 2,000. */
  readonly retryPeriodMs?: number;
}

/** Options of `createLeaderElector`. */
export interface LeaderElectorOptions extends Environment, LeaseTiming {
  readonly client: Client;
  readonly events: EventRecorder;
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  /** Address that the process writes to its leases. Default none. */
  readonly advertised?: AdvertisedAddress | undefined;
  /** Called at the start of a term. Writes of the term must check `fence`. */
  readonly onLead: (fence: LeaseFence) => void;
  /** Called at the end of a term. */
  readonly onFollow: () => void;
}

/** A candidate for a lease. */
export interface LeaderElector {
  /** Starts the candidacy. Resolves after the first attempt, whatever its result. */
  start(): Promise<void>;
  /** True while this process leads. */
  readonly leading: boolean;
  /** Holder of the lease when it was last read. */
  readonly holder: LeaseHolder | undefined;
  /** Releases a held lease. All work of the term must have stopped before. */
  stop(): Promise<void>;
}

/**
 * Returns the timing with defaults applied. Throws `ERR_LEASE_TIMING` unless lease duration > renew deadline
 * > retry period > 0.
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
    const attempt = await lock.try(signal);
    if (attempt.term !== undefined) current.extend(attempt.term, renewDeadlineMs, attempt.tookMs);
    return attempt;
  };
  const machine = leaderElectionMachine.provide({
    actors: {
      acquire: fromPromise(async ({ signal }) => {
        fence = new LeaseFence(clock);
        const attempt = await tryAndExtend(signal);
        if (attempt.held && attempt.lease !== undefined)
          events.record(attempt.lease, 'Normal', 'LeaderElection', `${identity} became leader`);
        return attempt;
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
