import { type Clock, sleep } from '../../base/clock/index.ts';
import type { Random } from '../../base/random/index.ts';
import type { ProcessFault } from './faults.ts';
import type { Program } from './program.ts';
import type { Journals, LiveSystem, Manager } from './system.ts';

/** An injected fault. */
export interface LiveStrike {
  /** Wall time in milliseconds since the epoch. */
  readonly atMs: number;
  readonly name: string;
  readonly where: string;
}

/** Injects faults into processes: kills, pauses, partitions and wrong clocks. */
export interface Disturber {
  /** Injects faults until the monotonic time `untilMs`. */
  run(untilMs: number): Promise<void>;
  /**
   * Ends all faults: all programs run with correct clocks and connections. Rejects if the API server, its
   * etcd or Redis cannot be started.
   */
  heal(): Promise<void>;
  /** Restarts every controller manager. */
  restart(): Promise<void>;
}

export interface DisturberOptions {
  readonly system: LiveSystem;
  readonly faults: readonly ProcessFault[];
  readonly random: Random;
  readonly clock: Clock;
  readonly journals: Journals;
  readonly onStrike: (strike: LiveStrike) => void;
}

/**
 * Minimum and maximum duration in milliseconds: between faults, of an outage, of a pause or partition, and of
 * a clock offset.
 */
const PAUSE_MS = [500, 4_000] as const;
const DOWN_MS = [50, 3_000] as const;
const HELD_MS = [500, 8_000] as const;
const SKEW_MS = [1_000, 7_200_000] as const;
const STORM = 3;

export const createDisturber = (options: DisturberOptions): Disturber => new LiveDisturber(options);

/** Returns the program that a fault affects. Undefined if the system has no such program. */
function affectedBy(
  fault: ProcessFault,
  { server, redis, etcd }: LiveSystem,
  manager: Manager,
): Program | undefined {
  if (fault.startsWith('api-')) return server;
  if (fault.startsWith('redis-')) return redis;
  return fault.startsWith('etcd-') ? etcd : manager.program;
}

class LiveDisturber implements Disturber {
  readonly #options: DisturberOptions;
  /** Current operation on each program. A program has at most one at a time. */
  readonly #busy = new Map<Program, Promise<void>>();

  constructor(options: DisturberOptions) {
    this.#options = options;
  }

  async run(untilMs: number): Promise<void> {
    const { clock, faults } = this.#options;
    while (faults.length > 0) {
      const waitMs = this.#lasting(PAUSE_MS);
      if (clock.monotonic() + waitMs >= untilMs) break;
      await sleep(clock, waitMs);
      this.#strike(this.#pick(faults));
    }
    await sleep(clock, Math.max(0, untilMs - clock.monotonic()));
  }

  async heal(): Promise<void> {
    const { system } = this.#options;
    const { etcd, server, redis } = system;
    const programs = [etcd, server, redis].filter((program) => program !== undefined);
    await Promise.all(this.#busy.values());
    for (const program of [...programs, ...system.managers.map((each) => each.program)]) program.resume();
    for (const manager of system.managers) this.#setClock(manager, 0);
    for (const program of programs) if (!program.running) await program.start();
    // Cutting the connections ends hanging requests, which the controllers then retry.
    for (const { connection } of system.managers) connection.cut();
    for (const { connection } of system.managers) connection.mend();
    await Promise.all(
      system.managers.map((manager) => (manager.program.running ? undefined : this.#startManager(manager))),
    );
  }

  async restart(): Promise<void> {
    await Promise.all(
      this.#options.system.managers.map(async (manager) => {
        await this.#killManager(manager);
        await this.#startManager(manager);
      }),
    );
  }

  /** Injects a fault, unless its program is busy or missing. */
  #strike(fault: ProcessFault): void {
    const { system, clock, onStrike } = this.#options;
    const manager = this.#pick(system.managers);
    const program = affectedBy(fault, system, manager);
    if (program === undefined || this.#busy.has(program)) return;
    onStrike({ atMs: clock.now(), name: fault, where: program.name });
    const done = this.#carryOut(fault, program, manager)
      // Failed starts are retried or reported when all faults are ended.
      .catch(() => {})
      .finally(() => this.#busy.delete(program));
    this.#busy.set(program, done);
  }

  async #carryOut(fault: ProcessFault, program: Program, manager: Manager): Promise<void> {
    const { clock, system } = this.#options;
    switch (fault) {
      case 'crash':
        return this.#restartManager(manager);
      case 'restart-storm':
        for (let i = 0; i < STORM; i++) await this.#restartManager(manager);
        return;
      case 'pause':
      case 'api-pause':
      case 'etcd-pause':
        program.pause();
        await sleep(clock, this.#lasting(HELD_MS));
        return program.resume();
      case 'clock-forward':
        return this.#setClock(manager, this.#lasting(SKEW_MS));
      case 'clock-back':
        return this.#setClock(manager, -this.#lasting(SKEW_MS));
      case 'partition':
        manager.connection.cut();
        await sleep(clock, this.#lasting(HELD_MS));
        return manager.connection.mend();
      case 'api-restart':
      case 'redis-restart':
      case 'redis-flush':
      case 'etcd-restart':
        await program.kill();
        if (fault === 'redis-flush') await system.forgetRedis?.();
        await sleep(clock, this.#lasting(DOWN_MS));
        await program.start();
    }
  }

  async #restartManager(manager: Manager): Promise<void> {
    await this.#killManager(manager);
    await sleep(this.#options.clock, this.#lasting(DOWN_MS));
    await this.#startManager(manager);
  }

  /** Reads the journal before killing the manager, because the journal is lost with the process. */
  async #killManager({ program }: Manager): Promise<void> {
    await this.#options.journals.poll(program.name);
    await program.kill();
  }

  async #startManager({ program }: Manager): Promise<void> {
    this.#options.journals.started(program.name);
    // A start that times out under faults is no failure. A crash is recorded as a death.
    await program.start().catch(() => {});
  }

  #setClock({ program }: Manager, offsetMs: number): void {
    void program.setClock(offsetMs);
    this.#options.journals.clockSet(program.name, offsetMs);
  }

  /** Returns a duration on a logarithmic scale, so that short durations are as frequent as long ones. */
  #lasting([shortest, longest]: readonly [number, number]): number {
    return shortest * (longest / shortest) ** this.#options.random.next();
  }

  #pick<T>(items: readonly T[]): T {
    return items[this.#options.random.int(items.length)] as T;
  }
}
