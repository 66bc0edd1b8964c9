/** Fields of a log line: short and flat; objects are named by `ref`, never written whole. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Constant message, variable fields. One wide line ends each unit of work (a request, a pass over a key). */
export interface Logger {
  error(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  debug(fields: LogFields, message: string): void;
  trace(fields: LogFields, message: string): void;
  child(fields: LogFields): Logger;
  /** Whether a `debug` line would be written, for callers whose fields are dear to make. */
  readonly debugEnabled: boolean;
}

const drop = (): void => {};

/** Writes nothing. */
export const silentLogger: Logger = {
  error: drop,
  warn: drop,
  info: drop,
  debug: drop,
  trace: drop,
  child: () => silentLogger,
  debugEnabled: false,
};
