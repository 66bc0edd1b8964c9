import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { CLOCK_FROM_PARENT, type Clock, type ClockMessage, isClockMessage } from '../../base/clock/index.ts';
import { CodedError } from '../../base/errors/index.ts';

export interface ProgramOptions {
  /** Name of the program in reports. */
  readonly name: string;
  /** Returns the file and arguments to run. Called at each start. */
  readonly command: () => readonly [file: string, ...argv: readonly string[]];
  /** Pattern of the output that shows that the program is ready. */
  readonly ready: RegExp;
  readonly clock: Clock;
  /**
   * Environment variables, in addition to the one that sets the clock. By default those of this process,
   * without the variable for the clock.
   */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Maximum time until the program is ready, in milliseconds; default 30,000. */
  readonly readyMs?: number;
}

/** One program of the system under test, in its own process. Every method may be called in any state. */
export interface Program {
  readonly name: string;
  /** Starts the program. Resolves with the output that shows that it is ready. */
  start(): Promise<RegExpMatchArray>;
  /** Kills the program. Resolves when the process has ended. */
  kill(): Promise<void>;
  /** Suspends the process until `resume`. */
  pause(): void;
  resume(): void;
  /**
   * Sets the wall clock offset of the program in whole milliseconds, for the current process and later ones.
   * Resolves when the offset is applied, or immediately if no process runs.
   */
  setClock(offsetMs: number): Promise<void>;
  readonly running: boolean;
  /** Descriptions of unexpected exits. */
  readonly deaths: readonly string[];
}

/** Maximum number of output characters that are retained. */
const KEPT = 2_000;

/** Creates a program and does not start it. */
export const createProgram = (options: ProgramOptions): Program => new ChildProgram(options);

class ChildProgram implements Program {
  readonly #options: ProgramOptions;
  readonly deaths: string[] = [];
  #child: ChildProcess | undefined;
  #offsetMs = 0;
  #written = '';

  constructor(options: ProgramOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  get running(): boolean {
    return this.#child !== undefined;
  }

  async start(): Promise<RegExpMatchArray> {
    const { command, name, environment } = this.#options;
    if (this.#child !== undefined) throw new CodedError('ERR_LIVE_PROGRAM', `${name} is already running`);
    const [file, ...argv] = command();
    this.#written = '';
    const child = spawn(file, argv, {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      ...(environment && { env: { ...environment, [CLOCK_FROM_PARENT]: String(this.#offsetMs) } }),
    });
    this.#child = child;
    child.once('exit', (code, signal) => this.#ended(child, code, signal));
    child.on('error', (error) => this.#note(error.message));
    return this.#ready(child);
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  setClock(offsetMs: number): Promise<void> {
    this.#offsetMs = Math.round(offsetMs);
    const message: ClockMessage = { clockOffsetMs: this.#offsetMs };
    const child = this.#child;
    // A process that is exiting accepts no messages and needs none.
    if (child?.connected !== true) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        child.off('message', receive);
        child.off('exit', done);
        resolve();
      };
      const receive = (said: unknown): void => {
        if (isClockMessage(said) && said.clockOffsetMs === message.clockOffsetMs) done();
      };
      child.on('message', receive);
      child.once('exit', done);
      child.send(message, () => {});
    });
  }

  #ready(child: ChildProcess): Promise<RegExpMatchArray> {
    const { ready, clock, name, readyMs = 30_000 } = this.#options;
    return new Promise((resolve, reject) => {
      const fail = (what: string): void => {
        clock.clearTimeout(timer);
        reject(new CodedError('ERR_LIVE_PROGRAM', `${name} ${what}; it wrote: ${this.#written.trim()}`));
      };
      const timer = clock.setTimeout(() => fail(`was not ready within ${readyMs} ms`), readyMs);
      const receive = (chunk: Buffer): void => {
        this.#note(chunk.toString());
        const said = ready.exec(this.#written);
        if (said === null) return;
        clock.clearTimeout(timer);
        resolve(said);
      };
      child.stdout?.on('data', receive);
      child.stderr?.on('data', receive);
      child.once('exit', () => fail('ended before it was ready'));
    });
  }

  #note(text: string): void {
    this.#written = (this.#written + text).slice(-KEPT);
  }

  #ended(child: ChildProcess, code: number | null, signal: NodeJS.Signals | null): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    this.deaths.push(
      `${this.name} ended by itself (${signal ?? `code ${code}`}): ${this.#written.trim().slice(-400)}`,
    );
  }
}
