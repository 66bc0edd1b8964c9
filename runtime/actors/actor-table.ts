import { createActor, type Actor, type AnyActorLogic, type InputFrom, type InspectionEvent } from 'xstate';
import type { Clock } from '../../base/clock/index.ts';
import { CodedError, messageOf } from '../../base/errors/index.ts';
import type { Logger } from '../../base/log/index.ts';
import { toXStateClock, type XStateClock } from './xstate-clock.ts';

/** Options of an `ActorTable`. */
export interface ActorTableOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Receives the inspection events of all actors; each event costs a few microseconds. */
  readonly inspect?: (event: InspectionEvent) => void;
}

/** Error codes: the key already has an actor, or the actor was stopped before it was done. */
export type ActorErrorCode = 'ERR_ACTOR_EXISTS' | 'ERR_ACTOR_STOPPED';

/**
 * Root actors by key. They have no common parent, because XState's cost of starting and stopping a child
 * grows with the number of its siblings. Each actor has an error observer, so an unhandled rejection ends
 * that actor and not the process.
 */
export class ActorTable {
  readonly #actors = new Map<string, Actor<AnyActorLogic>>();
  readonly #clock: XStateClock;
  readonly #options: ActorTableOptions;

  constructor(options: ActorTableOptions) {
    this.#options = options;
    this.#clock = toXStateClock(options.clock);
  }

  get size(): number {
    return this.#actors.size;
  }

  get(key: string): Actor<AnyActorLogic> | undefined {
    return this.#actors.get(key);
  }

  /**
   * Creates and starts the actor of `key`. The actor leaves the table when it is done, fails or is stopped.
   * Throws `ERR_ACTOR_EXISTS` if the key already has an actor.
   * @param prepare called with the actor before its start
   */
  start<Logic extends AnyActorLogic>(
    key: string,
    logic: Logic,
    input: InputFrom<Logic>,
    prepare?: (actor: Actor<Logic>) => void,
  ): Actor<Logic> {
    if (this.#actors.has(key))
      throw new CodedError<ActorErrorCode>('ERR_ACTOR_EXISTS', `actor ${key} already exists`);
    const actor = this.#create(logic, input);
    const held = actor as unknown as Actor<AnyActorLogic>;
    const leave = (): void => {
      if (this.#actors.get(key) === held) this.#actors.delete(key);
    };
    this.#actors.set(key, held);
    actor.subscribe({
      error: (thrown: unknown) => {
        leave();
        this.#options.log.debug({ ref: key, err: messageOf(thrown) }, 'actor failed');
      },
      complete: leave,
    });
    prepare?.(actor);
    actor.start();
    return actor;
  }

  /**
   * Runs the actor of `key` until it is done and returns its output. Rejects with the error of the actor, or
   * with `ERR_ACTOR_STOPPED`.
   */
  run<Logic extends AnyActorLogic>(
    key: string,
    logic: Logic,
    input: InputFrom<Logic>,
    prepare?: (actor: Actor<Logic>) => void,
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.start(key, logic, input, (actor) => {
        prepare?.(actor);
        actor.subscribe({
          error: reject,
          complete: () => {
            const { status, output } = actor.getSnapshot() as { status: string; output?: unknown };
            if (status === 'done') resolve(output);
            else
              reject(
                new CodedError<ActorErrorCode>(
                  'ERR_ACTOR_STOPPED',
                  `actor ${key} was stopped before its end`,
                ),
              );
          },
        });
      });
    });
  }

  /** Stops the actor of `key` and aborts its effects. Does nothing if the key has no actor. */
  stop(key: string): void {
    const actor = this.#actors.get(key);
    this.#actors.delete(key);
    actor?.stop();
  }

  stopAll(): void {
    for (const key of this.#actors.keys()) this.stop(key);
  }

  #create<Logic extends AnyActorLogic>(logic: Logic, input: InputFrom<Logic>): Actor<Logic> {
    const { inspect, log } = this.#options;
    // The type of `options` depends on whether the logic requires an input, which is unknown here.
    const options = {
      input,
      clock: this.#clock,
      logger: (...parts: unknown[]) => log.debug({ parts }, 'actor logged'),
      ...(inspect === undefined ? {} : { inspect }),
    } as unknown as Parameters<typeof createActor<Logic>>[1];
    return createActor(logic, options as never);
  }
}
