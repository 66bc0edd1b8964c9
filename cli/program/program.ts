import {
  CLOCK_FROM_PARENT,
  SharedOffset,
  createSystemClock,
  isClockMessage,
  withWallOffset,
} from '../../base/clock/index.ts';
import { CodedError, messageOf } from '../../base/errors/index.ts';
import type { Environment } from '../../base/environment.ts';
import { type Lifetime, Lifetimes } from '../../base/lifetime/index.ts';
import { createPinoLogger } from '../../base/log/index.ts';
import { createSystemRandom } from '../../base/random/index.ts';
import { createIdleMemory } from './idle-memory.ts';

/** Signals that stop a daemon. A second signal ends the daemon at once. */
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** Maximum duration of a stop in milliseconds, after which the daemon ends. */
const STOP_LIMIT_MS = 4_500;

/**
 * Returns the offset of the wall clock that a parent process controls, or undefined without such a parent.
 * The process exits once its parent has exited.
 */
export function offsetFromParent(): SharedOffset | undefined {
  const atStart = process.env[CLOCK_FROM_PARENT];
  if (atStart === undefined || !/^-?\d+$/.test(atStart)) return undefined;
  const offset = new SharedOffset();
  offset.ms = Number(atStart);
  process.on('message', (said: unknown) => {
    if (!isClockMessage(said)) return;
    offset.ms = said.clockOffsetMs;
    process.send?.(said);
  });
  process.once('disconnect', () => process.exit(130));
  return offset;
}

/** Creates the environment of a program: system clock, randomness and log. */
export function createEnvironment(
  name: string,
  verbosity: number,
  offset: SharedOffset | undefined = offsetFromParent(),
): Environment {
  const clock = createSystemClock();
  return {
    clock: offset === undefined ? clock : withWallOffset(clock, () => offset.ms),
    random: createSystemRandom(),
    log: createPinoLogger({ name, verbosity }),
  };
}

/**
 * Returns a lifetime that prints one line to standard output. The line is printed when all lifetimes before
 * this one have started.
 */
export const announcement = (line: () => string): Lifetime => ({
  name: 'announcement',
  start: async () => void process.stdout.write(`${line()}\n`),
  stop: async () => {},
});

/**
 * Calls `react` when the reader of standard output has closed it, as `head` does. Without a listener, Node.js ends the
 * program with a stack trace.
 */
export const onClosedOutput = (react: () => void): void =>
  void process.stdout.on('error', (thrown: NodeJS.ErrnoException) => {
    if (thrown.code !== 'EPIPE') throw thrown;
    react();
  });

/** Logs unhandled rejections and does not exit. */
export const logUnhandled = ({ log }: Pick<Environment, 'log'>): void =>
  void process.on('unhandledRejection', (reason) => log.error({ err: reason }, 'unhandled rejection'));

/** Reason why a daemon ends. */
type Ending = { readonly signal: string } | { readonly failure: Error };

/**
 * Assembles and starts the parts, then waits for a signal. A signal during startup is honoured. Resolves to
 * exit code 0 after a requested stop.
 *
 * If startup fails or `failed` resolves, stops all parts and throws that error.
 */
export async function runDaemon(
  environment: Environment,
  assemble: () => Promise<Lifetimes>,
  failed?: Promise<Error>,
): Promise<number> {
  const { log } = environment;
  const ended = new Promise<Ending>((resolve) => {
    for (const signal of SIGNALS) process.once(signal, () => resolve({ signal }));
    void failed?.then((failure) => resolve({ failure }));
  });
  logUnhandled(environment);
  const parts = await Promise.race([assemble(), ended]);
  if (!(parts instanceof Lifetimes)) return exitCode(parts, environment);
  const started = parts.start();
  const early = await Promise.race([started.then(() => undefined), ended]);
  const memory = createIdleMemory(environment);
  if (early === undefined) {
    log.info({ pid: process.pid }, 'started');
    await memory.start();
  }
  const ending = early ?? (await ended);
  await memory.stop();
  if ('failure' in ending) log.error({ err: ending.failure }, 'failed');
  else log.info(ending, 'stopping');
  await stopAll(parts, ending, environment);
  return exitCode(ending, environment);
}

function exitCode(ending: Ending, { log }: Environment): number {
  if ('failure' in ending) throw ending.failure;
  log.info({}, 'stopped');
  return 0;
}

async function stopAll(parts: Lifetimes, ending: Ending, { log, clock }: Environment): Promise<void> {
  for (const again of SIGNALS) process.once(again, () => process.exit(130));
  const limit = clock.setTimeout(() => {
    log.warn({}, 'did not stop in time');
    process.exit('failure' in ending ? 1 : 0);
  }, STOP_LIMIT_MS);
  const late = await parts.stop();
  clock.clearTimeout(limit);
  if (late.length > 0) log.warn({ late }, 'parts did not stop in time');
}

/** Formats an error for users: the message of an expected error, the stack of an unexpected one. */
export function describeFailure(thrown: unknown): string {
  if (thrown instanceof CodedError) return thrown.message;
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : messageOf(thrown);
}
