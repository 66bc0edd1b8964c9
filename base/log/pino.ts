import { createRequire } from 'node:module';
import { isatty } from 'node:tty';
import type { Logger as PinoLogger } from 'pino';
import { withoutQuotedInput } from '../errors/json-syntax.ts';
import type { Logger } from './logger.ts';

/** Options of `createPinoLogger`. */
export interface LogOptions {
  /** Verbosity: 0 logs info and above, 1 to 3 also debug, 4 and above also trace. The default is 0. */
  readonly verbosity?: number;
  /** True for readable lines instead of JSON. The default is true if standard error is a terminal. */
  readonly pretty?: boolean;
  /** Name of the component for every line. */
  readonly name?: string;
}

/** Fields whose values are replaced by `[redacted]` in every line. */
const redact = [
  'token',
  'authorization',
  'password',
  'secret',
  'key',
  '*.token',
  '*.authorization',
  '*.password',
  '*.secret',
];

type Level = 'info' | 'debug' | 'trace';

const levelOf = (verbosity: number): Level => (verbosity >= 4 ? 'trace' : verbosity >= 1 ? 'debug' : 'info');

/**
 * Creates a logger that writes JSON lines to standard error. It writes synchronously, so that the last line
 * of a crashing process is not lost. pino is loaded at the first line.
 */
export function createPinoLogger(options: LogOptions = {}): Logger {
  const level = levelOf(options.verbosity ?? 0);
  return wrap(level, () => openPino(level, options));
}

const load = createRequire(import.meta.url);
/**
 * File descriptor of standard error, valid in every thread. `process.stderr` of a worker thread is not the
 * terminal.
 */
const STDERR = 2;

function openPino(level: Level, { name, pretty = isatty(STDERR) }: LogOptions): PinoLogger {
  const { destination, pino, stdSerializers } = load('pino') as typeof import('pino');
  const settings = {
    level,
    base: name === undefined ? null : { name },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    serializers: { err: quietly(stdSerializers.err) },
    redact: { paths: redact, censor: '[redacted]' },
    formatters: { level: (label: string) => ({ level: label }) },
  };
  if (!pretty) return pino(settings, destination({ dest: STDERR, sync: true }));
  const { PinoPretty } = load('pino-pretty') as typeof import('pino-pretty');
  const translated = { translateTime: 'SYS:HH:MM:ss.l', ignore: 'pid,hostname' };
  return pino(settings, PinoPretty({ destination: STDERR, sync: true, ...translated }));
}

/**
 * Serializes an error. Removes the input that a JSON parser quotes in messages of the error and of its
 * causes.
 */
const quietly =
  (serialize: (error: Error) => object) =>
  (error: Error): object => {
    const shown = serialize(error);
    // The thrown value may be a string, or another value that is not an error.
    if (typeof shown !== 'object' || shown === null) return shown;
    const { message, stack } = shown as { readonly message?: unknown; readonly stack?: unknown };
    return Object.assign(shown, {
      ...(typeof message === 'string' && { message: withoutQuotedInput(message) }),
      ...(typeof stack === 'string' && { stack: withoutQuotedInput(stack) }),
    });
  };

function wrap(level: Level, open: () => PinoLogger): Logger {
  let opened: PinoLogger | undefined;
  const target = (): PinoLogger => (opened ??= open());
  const debugEnabled = level !== 'info';
  return {
    error: (fields, message) => target().error(fields, message),
    warn: (fields, message) => target().warn(fields, message),
    info: (fields, message) => target().info(fields, message),
    debug: (fields, message) => debugEnabled && target().debug(fields, message),
    trace: (fields, message) => level === 'trace' && target().trace(fields, message),
    child: (fields) => wrap(level, () => target().child(fields)),
    debugEnabled,
  };
}
