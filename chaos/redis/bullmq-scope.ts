import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { compileFunction } from 'node:vm';
import type { Clock, Timer } from '../../base/clock/index.ts';
import { CodedError } from '../../base/errors/index.ts';
import type { Random } from '../../base/random/index.ts';

/** The part of BullMQ that shared queues use. */
export type Bullmq = Pick<typeof import('bullmq'), 'Queue' | 'Worker' | 'WaitingError'>;

type Require = (name: string) => unknown;

/** A file of the package, compiled once per thread. */
interface PackageFile {
  readonly run: (...args: readonly unknown[]) => void;
  readonly path: string;
  readonly outside: Require;
  /** Paths of the package's own files by the names in `require` calls. */
  readonly inside: ReadonlyMap<string, string>;
  /**
   * True if the file reads the time or draws random numbers, or requires a file that does. Such files get one
   * instance for each clock.
   */
  readonly isScoped: boolean;
}

/** Replacements for globals and modules of Node.js. */
interface Scope {
  readonly globals: readonly unknown[];
  readonly crypto: unknown;
}

const GLOBAL_NAMES = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'Math'];
const SCOPED = /\b(?:setTimeout|setInterval|Date|Math\.random|randomUUID)\b/;
const REQUIRED = /\brequire\("(\.[^"]*)"\)/g;

const require = createRequire(import.meta.url);
const files = new Map<string, PackageFile>();
const shared = new Map<string, { exports: unknown }>();
let folder: string | undefined;

const packageFolder = (): string => (folder ??= dirname(require.resolve('bullmq')));

/** Requires a dependency of BullMQ in the version that BullMQ uses. */
export const requireOfBullmq = (name: string): unknown => createRequire(packageFolder())(name);

function fileOf(path: string): PackageFile {
  const known = files.get(path);
  if (known !== undefined) return known;
  const text = readFileSync(path, 'utf8');
  const outside = createRequire(path);
  const names = [...text.matchAll(REQUIRED)].map(([, name = '']) => name);
  const inside = new Map(names.map((name) => [name, outside.resolve(name)]));
  const params = ['exports', 'require', 'module', '__filename', '__dirname', ...GLOBAL_NAMES];
  const isScoped = SCOPED.test(text) || [...inside.values()].some((each) => fileOf(each).isScoped);
  const run = compileFunction(text, params, { filename: path }) as PackageFile['run'];
  const file = { run, path, outside, inside, isScoped };
  files.set(path, file);
  return file;
}

function instance(path: string, scope: Scope, scoped: Map<string, { exports: unknown }>): unknown {
  const { run, outside, inside, isScoped } = fileOf(path);
  const instances = isScoped ? scoped : shared;
  const known = instances.get(path);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  instances.set(path, module);
  const requires = (name: string): unknown => {
    const file = inside.get(name);
    if (file !== undefined) return instance(file, scope, scoped);
    return name === 'node:crypto' ? scope.crypto : outside(name);
  };
  run(module.exports, requires, module, path, dirname(path), ...scope.globals);
  return module.exports;
}

/**
 * Loads BullMQ with timers and dates from `clock`. Called once for each simulated process.
 * @param random source of ids; by default ids come from Node.js
 */
export function loadBullmq(clock: Clock, random?: Random): Bullmq {
  const scope: Scope = { globals: globalsOf(clock, random), crypto: cryptoOf(random) };
  const scoped = new Map<string, { exports: unknown }>();
  const load = (name: string): unknown => instance(join(packageFolder(), 'classes', name), scope, scoped);
  const parts = {
    ...(load('queue.js') as Pick<Bullmq, 'Queue'>),
    ...(load('worker.js') as Pick<Bullmq, 'Worker'>),
    ...(load(join('errors', 'waiting-error.js')) as Pick<Bullmq, 'WaitingError'>),
  };
  return { Queue: parts.Queue, Worker: parts.Worker, WaitingError: parts.WaitingError };
}

function cryptoOf(random: Random | undefined): unknown {
  const crypto = require('node:crypto') as object;
  return random === undefined ? crypto : { ...crypto, randomUUID: () => random.uuid() };
}

/** Returns the replacements for globals in the order of `GLOBAL_NAMES`. */
function globalsOf(clock: Clock, random: Random | undefined): readonly unknown[] {
  const setTimer = (run: (...args: readonly unknown[]) => void, ms = 0, ...args: readonly unknown[]): Timer =>
    clock.setTimeout(() => run(...args), ms);
  const clearTimer = (timer: Timer | undefined): void => clock.clearTimeout(timer);
  const noInterval = (): never => {
    throw new CodedError('ERR_NOT_SERVED', 'bullmq over a simulated redis has no intervals');
  };
  return [setTimer, clearTimer, noInterval, clearTimer, dateOf(clock), mathOf(random)];
}

const dateOf = (clock: Clock): DateConstructor =>
  class extends Date {
    constructor(...parts: readonly unknown[]) {
      // The constructor of `Date` has too many signatures to distinguish them by type.
      super(...((parts.length === 0 ? [clock.now()] : parts) as [number]));
    }

    static override now(): number {
      return clock.now();
    }
  } as DateConstructor;

const mathOf = (random: Random | undefined): Math =>
  Object.create(Math, {
    random: {
      value: () => {
        if (random !== undefined) return random.next();
        throw new CodedError('ERR_NOT_SERVED', 'bullmq over a simulated redis has no random numbers');
      },
    },
  }) as Math;
