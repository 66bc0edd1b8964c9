/** Fields of a log line: short and flat. Objects are identified by `ref` and never written whole. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * A structured logger: constant message, variable fields. One line with all fields ends each unit of work,
 * such as a request or a reconcile.
 */
export interface Logger {
  error(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  debug(fields: LogFields, message: string): void;
  trace(fields: LogFields, message: string): void;
  child(fields: LogFields): Logger;
  /** True if `debug` lines are written, for callers whose fields are expensive to compute. */
  readonly debugEnabled: boolean;
}

const drop = (): void => {};

/** Discards all lines. */
export const silentLogger: Logger = {
  error: drop,
  warn: drop,
  info: drop,
  debug: drop,
  trace: drop,
  child: () => silentLogger,
  debugEnabled: false,
};
