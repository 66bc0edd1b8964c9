import { createActor, fromPromise } from 'xstate';
import type { Environment } from '../../base/environment.ts';
import { CodedError } from '../../base/errors/coded.ts';
import { leaderElectionMachine } from '../../machines/leaderelection/leader-election.ts';
import { toXStateClock } from '../actors/xstate-clock.ts';
import type { Client } from '../client/client.ts';
import type { EventRecorder } from '../events/recorder.ts';
import { LeaseFence } from './lease-fence.ts';
import { type LeaseHolder, type LeaseTry, createLeaseLock } from './lease-lock.ts';

export interface LeaseTiming {
  /** How long others wait for a leader that is not heard of, milliseconds. Default 15 000. */
  readonly leaseDurationMs?: number;
  /** How long the leader goes on without renewing, milliseconds; shorter than the lease. Default 10 000. */
  readonly renewDeadlineMs?: number;
  /** Pause between tries, milliseconds; shorter than the deadline. Default 2 000. */
  readonly retryPeriodMs?: number;
}

export interface LeaderElectorOptions extends Environment, LeaseTiming {
  readonly client: Client;
  readonly events: EventRecorder;
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  /** A term begins; what is done in it is fenced by `fence`. */
  readonly onLead: (fence: LeaseFence) => void;
  /** The term is over. */
  readonly onFollow: () => void;
}

export interface LeaderElector {
  /** Resolves when the first try is decided, for or against. */
  start(): Promise<void>;
  readonly leading: boolean;
  /** Who had the lease when it was last looked at. */
  readonly holder: LeaseHolder | undefined;
  /** Gives the lease back where it is held. What was done under it must have come to rest. */
  stop(): Promise<void>;
}

/** Throws unless the lease outlasts the deadline, and the deadline the pause. */
export function checkLeaseTiming(timing: LeaseTiming): Required<LeaseTiming> {
  const { leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2_000 } = timing;
  if (leaseDurationMs > renewDeadlineMs && renewDeadlineMs > retryPeriodMs && retryPeriodMs > 0)
    return { leaseDurationMs, renewDeadlineMs, retryPeriodMs };
  throw new CodedError(
    'ERR_LEASE_TIMING',
    `lease duration ${leaseDurationMs} ms, renew deadline ${renewDeadlineMs} ms and retry period ${retryPeriodMs} ms do not go together: each must be longer than the next`,
  );
}

/** A candidate for one lease. */
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
    log.info({ lease: name, identity, err: snapshot.context.lastError }, leading ? 'leads' : 'leads no more');
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
