/**
 * Fields of a log line: short and without nesting. Objects are identified by `ref` and never written whole.
 */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * Structured logger with constant messages and variable fields. Each unit of work, such as a request or a
 * reconcile, writes one line with all fields at its end.
 */
export interface Logger {
  error(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  debug(fields: LogFields, message: string): void;
  trace(fields: LogFields, message: string): void;
  child(fields: LogFields): Logger;
  /** True if `debug` lines are written. Callers check this before they compute expensive fields. */
  readonly debugEnabled: boolean;
}

const drop = (): void => {};

/** Logger that discards all lines. */
export const silentLogger: Logger = {
  error: drop,
  warn: drop,
  info: drop,
  debug: drop,
  trace: drop,
  child: () => silentLogger,
  debugEnabled: false,
};
