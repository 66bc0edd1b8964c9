import { destination, pino, stdSerializers } from 'pino';
import type { Logger } from './logger.ts';

export interface LogOptions {
  /** 0 info and above, 1 to 3 also debug, 4 and more also trace. Default 0. */
  readonly verbosity?: number;
  /** Lines for a person instead of JSON. Default: whether standard error is a terminal. */
  readonly pretty?: boolean;
  /** Name of the component on each line. */
  readonly name?: string;
}

/** Written instead of a value whose field name says that it is a secret, wherever a line holds one. */
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

const levelOf = (verbosity: number): string => (verbosity >= 4 ? 'trace' : verbosity >= 1 ? 'debug' : 'info');

/** JSON lines on standard error, written synchronously: the last line of a dying process is not lost. */
export async function createPinoLogger(options: LogOptions = {}): Promise<Logger> {
  const settings = {
    level: levelOf(options.verbosity ?? 0),
    base: options.name === undefined ? null : { name: options.name },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    serializers: { err: stdSerializers.err },
    redact: { paths: redact, censor: '[redacted]' },
    formatters: { level: (label: string) => ({ level: label }) },
  };
  if (!(options.pretty ?? process.stderr.isTTY))
    return wrap(pino(settings, destination({ dest: 2, sync: true })));
  const { PinoPretty } = await import('pino-pretty');
  return wrap(
    pino(
      settings,
      PinoPretty({ destination: 2, sync: true, translateTime: 'SYS:HH:MM:ss.l', ignore: 'pid,hostname' }),
    ),
  );
}

function wrap(target: import('pino').Logger): Logger {
  return {
    error: (fields, message) => target.error(fields, message),
    warn: (fields, message) => target.warn(fields, message),
    info: (fields, message) => target.info(fields, message),
    debug: (fields, message) => target.debug(fields, message),
    trace: (fields, message) => target.trace(fields, message),
    child: (fields) => wrap(target.child(fields)),
    debugEnabled: target.isLevelEnabled('debug'),
  };
}
