import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..', '..');
/** Path of the built program, which `build.ts` builds before the first test. */
export const PROGRAM = join(ROOT, 'dist', 'cli', 'orch.js');

/** Folder for caches of the programs, so that they leave those of the user alone. */
const CACHE = mkdtempSync(join(tmpdir(), 'e2e-cache-'));
process.once('exit', () => rmSync(CACHE, { recursive: true, force: true }));

const READY_LIMIT_MS = 60_000;
const EXIT_LIMIT_MS = 60_000;

/** Exit of a program. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Time from start to end in milliseconds. */
  readonly tookMs: number;
}

/** Program under test in a separate process. */
export interface Program {
  readonly pid: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly running: boolean;
  /**
   * Resolves with the first match in standard output or standard error. Rejects with the output if the
   * program ends first or a timeout passes.
   */
  output(pattern: RegExp, limitMs?: number): Promise<RegExpMatchArray>;
  /** Waits until the program ends. Rejects after a timeout. */
  exit(limitMs?: number): Promise<Exit>;
  /** Sends a signal and waits until the program ends. `tookMs` counts from the signal. */
  end(signal: NodeJS.Signals, limitMs?: number): Promise<Exit>;
}

/** Working directory, environment and input of a program. */
export interface StartOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

/** Directories and processes of one test file. `close` removes all of them. */
export interface Workbench {
  /** Creates an empty directory. */
  folder(): string;
  /** Starts any program. */
  spawn(command: string, argv: readonly string[], options?: StartOptions): Program;
  /** Starts the program under test with arguments. */
  orch(argv: readonly string[], options?: StartOptions): Program;
  /** Kills running programs and removes the directories. */
  close(): Promise<void>;
}

/** Creates a workbench. */
export function createWorkbench(): Workbench {
  const folders: string[] = [];
  const programs: ChildProgram[] = [];
  // An interrupted test process must not leave running programs.
  process.once('exit', () => programs.forEach((program) => program.kill()));
  const start: Workbench['spawn'] = (command, argv, options) => {
    const program = new ChildProgram(command, argv, options ?? {});
    programs.push(program);
    return program;
  };
  return {
    folder() {
      const folder = mkdtempSync(join(tmpdir(), 'e2e-'));
      chmodSync(folder, 0o700);
      folders.push(folder);
      return folder;
    },
    spawn: start,
    orch: (argv, options) => start(process.execPath, [PROGRAM, ...argv], options),
    async close() {
      await Promise.all(
        programs.filter((program) => program.running).map((program) => program.end('SIGKILL')),
      );
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    },
  };
}

class ChildProgram implements Program {
  stdout = '';
  stderr = '';
  readonly #child: ChildProcess;
  readonly #name: string;
  readonly #started = performance.now();
  readonly #waiting = new Set<() => void>();
  #exit: Exit | undefined;

  constructor(command: string, argv: readonly string[], { cwd, env, stdin }: StartOptions) {
    this.#name = [command, ...argv].join(' ');
    const inherited = {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      TMPDIR: tmpdir(),
      XDG_CACHE_HOME: CACHE,
    };
    this.#child = spawn(command, argv, { ...(cwd ? { cwd } : {}), env: { ...inherited, ...env } });
    this.#child.stdin?.on('error', () => {});
    this.#child.stdin?.end(stdin ?? '');
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
      this.#changed();
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
      this.#changed();
    });
    this.#child.once('error', (error) => {
      this.stderr += error.message;
      this.#ended(null, null);
    });
    this.#child.once('close', (code, signal) => this.#ended(code, signal));
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  get running(): boolean {
    return this.#exit === undefined;
  }

  kill(): void {
    if (this.running) this.#child.kill('SIGKILL');
  }

  output(pattern: RegExp, limitMs = READY_LIMIT_MS): Promise<RegExpMatchArray> {
    return this.#until(`wrote no ${pattern}`, limitMs, () => {
      const found = pattern.exec(this.stdout) ?? pattern.exec(this.stderr);
      if (found === null && this.#exit !== undefined) throw this.#failure(`ended and wrote no ${pattern}`);
      return found ?? undefined;
    });
  }

  exit(limitMs = EXIT_LIMIT_MS): Promise<Exit> {
    return this.#until('did not end', limitMs, () => this.#exit);
  }

  async end(signal: NodeJS.Signals, limitMs = EXIT_LIMIT_MS): Promise<Exit> {
    const sent = performance.now();
    this.#child.kill(signal);
    const exit = await this.exit(limitMs);
    return { ...exit, tookMs: performance.now() - sent };
  }

  #until<T>(what: string, limitMs: number, probe: () => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        try {
          const found = probe();
          if (found === undefined) return;
          resolve(found);
        } catch (failure) {
          reject(failure instanceof Error ? failure : new Error(String(failure)));
        }
        clearTimeout(timer);
        this.#waiting.delete(settle);
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(settle);
        reject(this.#failure(`${what} within ${limitMs} ms`));
      }, limitMs);
      this.#waiting.add(settle);
      settle();
    });
  }

  #changed(): void {
    for (const probe of this.#waiting) probe();
  }

  #ended(code: number | null, signal: NodeJS.Signals | null): void {
    this.#exit ??= { code, signal, tookMs: performance.now() - this.#started };
    this.#changed();
  }

  #failure(what: string): Error {
    const written = `${this.stdout}${this.stderr}`.slice(-4_000);
    return new Error(`${this.#name} ${what}; it wrote:\n${written}`);
  }
}
