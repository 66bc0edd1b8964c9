/** Client certificate, its key, and the CA of the server, in PEM. */
export interface ClientTls {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export interface Place {
  readonly port: number;
  readonly tls: ClientTls;
}

/**
 * Request template. In the path and body, `{n}` is replaced by a number that is unique in the load process,
 * and `{c}` by the number of the connection. Both have a fixed width, so that all requests of a job have the
 * same length.
 */
export interface Ask {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
}

/** Job that sends requests for a fixed time, with one request in flight on each stream. */
export interface RateJob {
  readonly kind: 'rate';
  readonly place: Place;
  readonly protocol: 'http/1.1' | 'h2';
  readonly connections: number;
  /** Number of requests in flight on one connection; more than 1 only over HTTP/2. */
  readonly streams: number;
  readonly ask: Ask;
  readonly ms: number;
}

/**
 * Job that opens watches and changes objects one by one. Each change starts when the previous change has
 * reached all watchers.
 */
export interface WatchJob {
  readonly kind: 'watch';
  readonly place: Place;
  readonly watchers: number;
  readonly path: string;
  readonly change: Ask;
  /** Number of changes at the start that are not measured. */
  readonly warmUp: number;
  readonly changes: number;
}

export type Job = RateJob | WatchJob;

/**
 * Result of a job. For `rate`, `value` is the number of responses per second. For `watch`, it is the median
 * duration of a change in milliseconds.
 */
export type JobAnswer = { readonly value: number } | { readonly error: string };
