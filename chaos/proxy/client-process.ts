import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Clock, Timer } from '../../base/clock/index.ts';
import { CodedError } from '../../base/errors/index.ts';

/** Control over the process of the client under test. */
export interface ClientProcess {
  /** Kills the process and starts it again after `downMs` milliseconds. */
  crash(downMs: number): void;
  /** Suspends the process for `ms` milliseconds. */
  pause(ms: number): void;
}

/** Change of the state of the process. */
export type ProcessChange = 'started' | 'killed' | 'paused' | 'resumed' | 'ended';

export interface StartedClientOptions {
  /** Program and arguments. No shell is involved unless the program is a shell. */
  readonly command: readonly [program: string, ...argv: readonly string[]];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly onChange: (change: ProcessChange, detail: string) => void;
  /** Receives the output of the process. */
  readonly onOutput: (chunk: Uint8Array) => void;
}

/** Process of a client. It is started again whenever it ends, until `stop`. */
export interface StartedClient extends ClientProcess {
  start(): void;
  /** Resumes a suspended process, and starts a killed one immediately. */
  recover(): void;
  /** Number of times that the process ended by itself. */
  readonly exits: number;
  /** Kills the process and its children. Resolves when the process has ended. */
  stop(): Promise<void>;
}

/** Delay in milliseconds before a process that ended by itself is started again. */
const RESTART_MS = 1_000;

/**
 * Creates a client process and does not start it. The process leads its own process group. Signals are sent
 * to the whole group, so that they also stop the children of a shell.
 */
export const createStartedClient = (options: StartedClientOptions): StartedClient => new GroupLeader(options);

class GroupLeader implements StartedClient {
  readonly #options: StartedClientOptions;
  #child: ChildProcess | undefined;
  #restart: Timer | undefined;
  #resume: Timer | undefined;
  #isPaused = false;
  #isStopped = false;
  exits = 0;

  constructor(options: StartedClientOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#child !== undefined || this.#isStopped) return;
    const { command, environment, onChange, onOutput } = this.#options;
    const [program, ...argv] = command;
    const child = spawn(program, argv, {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...environment },
    });
    this.#child = child;
    onChange('started', command.join(' '));
    child.stdout.on('data', onOutput);
    child.stderr.on('data', onOutput);
    child.once('error', (error) => this.#ended(child, error.message));
    child.once('exit', (code, signal) => this.#ended(child, signal ?? `code ${code}`));
  }

  crash(downMs: number): void {
    const child = this.#child;
    if (child === undefined) return;
    this.#child = undefined;
    this.#options.onChange('killed', `for ${downMs} ms`);
    this.#kill(child);
    this.#restartAfter(downMs);
  }

  pause(ms: number): void {
    if (this.#child === undefined || this.#isPaused) return;
    this.#isPaused = true;
    this.#signal(this.#child, 'SIGSTOP');
    this.#options.onChange('paused', `for ${ms} ms`);
    this.#resume = this.#options.clock.setTimeout(() => this.#wake(), ms);
  }

  recover(): void {
    this.#wake();
    this.#options.clock.clearTimeout(this.#restart);
    this.start();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#options.clock.clearTimeout(this.#restart);
    this.#options.clock.clearTimeout(this.#resume);
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined) return;
    const gone = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
    this.#kill(child);
    await gone;
  }

  #wake(): void {
    this.#options.clock.clearTimeout(this.#resume);
    if (!this.#isPaused) return;
    this.#isPaused = false;
    if (this.#child === undefined) return;
    this.#signal(this.#child, 'SIGCONT');
    this.#options.onChange('resumed', '');
  }

  #kill(child: ChildProcess): void {
    this.#isPaused = false;
    this.#signal(child, 'SIGKILL');
  }

  #signal({ pid }: ChildProcess, signal: NodeJS.Signals): void {
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch (thrown) {
      // The group may have ended just before the signal.
      if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ESRCH'))
        throw new CodedError('ERR_CLIENT_PROCESS', `failed to send ${signal} to the command`, {
          cause: thrown,
        });
    }
  }

  #restartAfter(ms: number): void {
    this.#restart = this.#options.clock.setTimeout(() => this.start(), ms);
  }

  #ended(child: ChildProcess, how: string): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    this.exits++;
    this.#options.onChange('ended', how);
    // Children of the ended process must not act as a second client.
    this.#kill(child);
    this.#restartAfter(RESTART_MS);
  }
}
