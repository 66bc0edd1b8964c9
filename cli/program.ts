import type { Clock } from '../base/clock/clock.ts';
import { withWallOffset } from '../base/clock/offset.ts';
import { CLOCK_FROM_PARENT, isClockMessage } from '../base/clock/parent.ts';
import { createSystemClock } from '../base/clock/system.ts';
import { CodedError, messageOf } from '../base/errors/coded.ts';
import type { Environment } from '../base/environment.ts';
import type { Lifetime, Lifetimes } from '../base/lifetime/lifetimes.ts';
import { createPinoLogger } from '../base/log/pino.ts';
import { createSystemRandom } from '../base/random/system.ts';

/** A daemon that starts takes signals, and a second one of them ends it at once. */
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** A stop that takes longer is cut off. */
const STOP_LIMIT_MS = 4_500;

/** The machine's clock, or where a parent sets it that one. A child whose parent is gone ends. */
function processClock(): Clock {
  const clock = createSystemClock();
  if (process.env[CLOCK_FROM_PARENT] !== '1') return clock;
  let offsetMs = 0;
  process.on('message', (said: unknown) => {
    if (isClockMessage(said)) offsetMs = said.clockOffsetMs;
  });
  process.once('disconnect', () => process.exit(130));
  return withWallOffset(clock, () => offsetMs);
}

export function createEnvironment(name: string, verbosity: number): Environment {
  return {
    clock: processClock(),
    random: createSystemRandom(),
    log: createPinoLogger({ name, verbosity }),
  };
}

/** Says with one line on standard output that everything before it in the order of starting is there. */
export const announcement = (line: () => string): Lifetime => ({
  name: 'announcement',
  start: async () => void process.stdout.write(`${line()}\n`),
  stop: async () => {},
});

/**
 * Puts the parts together and starts them, and waits for a signal: one that comes before there is anything to stop ends
 * the daemon too. Resolves with the exit code: 0 after a stop that was asked for. What throws while starting is thrown on.
 */
export async function runDaemon(
  { log, clock }: Environment,
  assemble: () => Promise<Lifetimes>,
): Promise<number> {
  const signalled = new Promise<string>((resolve) => {
    for (const signal of SIGNALS) process.once(signal, () => resolve(signal));
  });
  process.on('unhandledRejection', (reason) => log.error({ err: reason }, 'unhandled rejection'));
  const parts = await Promise.race([assemble(), signalled]);
  if (typeof parts === 'string') {
    log.info({ signal: parts }, 'stopped');
    return 0;
  }
  const started = parts.start();
  const early = await Promise.race([started.then(() => undefined), signalled]);
  if (early === undefined) log.info({ pid: process.pid }, 'started');
  const signal = early ?? (await signalled);
  log.info({ signal }, 'stopping');
  for (const again of SIGNALS) process.once(again, () => process.exit(130));
  const limit = clock.setTimeout(() => {
    log.warn({}, 'did not stop in time');
    process.exit(0);
  }, STOP_LIMIT_MS);
  const late = await parts.stop();
  clock.clearTimeout(limit);
  if (late.length > 0) log.warn({ late }, 'parts did not stop in time');
  log.info({}, 'stopped');
  return 0;
}

/** One sentence for people: expected problems by their message alone, defects with their stack. */
export function describeFailure(thrown: unknown): string {
  if (thrown instanceof CodedError) return thrown.message;
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : messageOf(thrown);
}
